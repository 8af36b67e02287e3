//! Cubins: what `ptxas` writes. An ELF file with a section of code for each entry, the contents of variables and
//! constant banks, and what the driver has to put in before a launch.

use std::collections::BTreeMap;
use std::ops::Range;

use object::LittleEndian;
use object::elf::{FileHeader64, SHN_LORESERVE, SHT_NOBITS, SHT_SYMTAB};
use object::read::elf::{FileHeader as _, Rel as _, Rela as _, SectionHeader as _, Sym as _};

/// The size of an instruction in bytes.
pub const WORD_BYTES: usize = 16;

/// A file that is not a cubin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not a cubin: {0}")]
pub struct BadCubin(String);

impl From<object::read::Error> for BadCubin {
    fn from(error: object::read::Error) -> Self {
        Self(error.to_string())
    }
}

/// The parts of a cubin that a launch needs.
#[derive(Clone, Debug, Default)]
pub struct Cubin {
    /// The sections, by their index in the file.
    pub sections: Vec<CubinSection>,
    /// The symbols, by their index in the file.
    pub symbols: Vec<CubinSymbol>,
}

/// A section.
#[derive(Clone, Debug, Default)]
pub struct CubinSection {
    /// Its name: `.text.k0`.
    pub name: String,
    /// Its contents; zeros if the file has none.
    pub data: Vec<u8>,
    /// The multiple of bytes that its address must be.
    pub align: u64,
    /// The places that the driver fills in.
    pub relocations: Vec<Relocation>,
}

/// A place that depends on where something is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// The offset in the section.
    pub offset: u64,
    /// NVIDIA's number of the kind.
    pub kind: u32,
    /// The symbol, by its index.
    pub symbol: usize,
    /// The number that is added; `None`: the one in the place.
    pub addend: Option<i64>,
}

/// A symbol.
#[derive(Clone, Debug, Default)]
pub struct CubinSymbol {
    /// Its name.
    pub name: String,
    /// The section that it is in.
    pub section: Option<usize>,
    /// The offset in the section.
    pub value: u64,
}

/// How an entry is launched.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct EntryPoint {
    /// The section with the code.
    pub section: usize,
    /// Where the entry begins in it, in bytes.
    pub start: usize,
    /// Where the parameters begin in constant bank 0, in bytes.
    pub parameters_at: usize,
    /// The offset of each parameter from there, and its size.
    pub parameters: Vec<Range<usize>>,
    /// The constant banks of its own, by number, with the section that has the contents. Bank 0 has the parameters.
    pub constants: Vec<(usize, usize)>,
    /// Shared memory in bytes, with what the driver keeps for itself at its start.
    pub shared: usize,
}

/// NVIDIA's attributes in `.nv.info`, of those that are read.
mod attribute {
    pub(super) const PARAMETER_BANK: u8 = 0x0a;
    pub(super) const PARAMETER: u8 = 0x17;
}

impl Cubin {
    /// Reads a cubin.
    ///
    /// # Errors
    /// If it is not a 64-bit ELF file, or a part is cut off.
    pub fn parse(data: &[u8]) -> Result<Self, BadCubin> {
        let header = FileHeader64::<LittleEndian>::parse(data)?;
        let endian = header.endian()?;
        let table = header.sections(endian, data)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut sections = Vec::new();
        for section in table.iter() {
            let size =
                usize::try_from(section.sh_size(endian)).map_err(|_| BadCubin("a section is too large".into()))?;
            let data = match section.sh_type(endian) {
                SHT_NOBITS if size > LARGEST => return Err(BadCubin("a section is too large".into())),
                SHT_NOBITS => vec![0; size],
                _ => section.data(endian, data)?.to_vec(),
            };
            let (name, align) = (text(table.section_name(endian, section)?), section.sh_addralign(endian));
            sections.push(CubinSection { name, data, align, relocations: Vec::new() });
        }
        for section in table.iter() {
            let relocations: Vec<Relocation> = if let Some((relocations, _)) = section.rela(endian, data)? {
                let read = |relocation: &object::elf::Rela64<LittleEndian>| Relocation {
                    offset: relocation.r_offset(endian),
                    kind: relocation.r_type(endian, false).0,
                    symbol: relocation.r_sym(endian, false) as usize,
                    addend: Some(relocation.r_addend(endian)),
                };
                relocations.iter().map(read).collect()
            } else if let Some((relocations, _)) = section.rel(endian, data)? {
                let read = |relocation: &object::elf::Rel64<LittleEndian>| Relocation {
                    offset: relocation.r_offset(endian),
                    kind: relocation.r_type(endian).0,
                    symbol: relocation.r_sym(endian) as usize,
                    addend: None,
                };
                relocations.iter().map(read).collect()
            } else {
                continue;
            };
            let target = sections
                .get_mut(section.sh_info(endian) as usize)
                .ok_or_else(|| BadCubin("a relocation has no section".into()))?;
            target.relocations.extend(relocations);
        }
        let symbols = table.symbols(endian, data, SHT_SYMTAB)?;
        let symbol = |symbol: &object::elf::Sym64<LittleEndian>| {
            let section = symbol.st_shndx(endian);
            Ok::<_, BadCubin>(CubinSymbol {
                name: text(symbols.symbol_name(endian, symbol)?),
                section: (1..SHN_LORESERVE).contains(&section.0).then_some(usize::from(section.0)),
                value: symbol.st_value(endian),
            })
        };
        let symbols = symbols.iter().map(symbol).collect::<Result<_, _>>()?;
        Ok(Self { sections, symbols })
    }

    /// A section by its name.
    pub fn section(&self, name: &str) -> Option<&CubinSection> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// The sections of code, by their index, and their words.
    pub fn code(&self) -> impl Iterator<Item = (usize, Vec<u128>)> {
        let is_code = |(_, section): &(usize, &CubinSection)| section.name.starts_with(".text.");
        let word = |bytes: &[u8; WORD_BYTES]| u128::from_le_bytes(*bytes);
        let words = move |section: &CubinSection| section.data.as_chunks().0.iter().map(word).collect();
        self.sections.iter().enumerate().filter(is_code).map(move |(index, section)| (index, words(section)))
    }

    /// How to launch an entry; `None` if there is no such entry.
    pub fn entry(&self, name: &str) -> Option<EntryPoint> {
        let code = format!(".text.{name}");
        let section = self.sections.iter().position(|section| section.name == code)?;
        let start = self.symbols.iter().find(|symbol| symbol.section == Some(section) && symbol.name == name)?.value;
        let start = usize::try_from(start).ok()?;
        let mut entry = EntryPoint { section, start, ..EntryPoint::default() };
        let mut parameters = BTreeMap::new();
        for (attribute, value) in self.attributes(&format!(".nv.info.{name}")) {
            match attribute {
                attribute::PARAMETER_BANK => entry.parameters_at = usize::from(half(value, 4)?),
                attribute::PARAMETER => {
                    // The size is in the upper 14 bits of the last word, in bytes.
                    let (ordinal, at, size) = (half(value, 4)?, usize::from(half(value, 6)?), half(value, 10)? >> 2);
                    parameters.insert(ordinal, at..at + usize::from(size));
                }
                _ => {}
            }
        }
        entry.parameters = parameters.into_values().collect();
        let bank = |section: &CubinSection| {
            let (number, of) = section.name.strip_prefix(".nv.constant")?.split_once('.')?;
            number.parse::<usize>().ok().filter(|_| of == name)
        };
        let sections = self.sections.iter().enumerate();
        entry.constants = sections.filter_map(|(at, section)| Some((bank(section)?, at))).collect();
        entry.shared = self.section(&format!(".nv.shared.{name}")).map_or(0, |section| section.data.len());
        Some(entry)
    }

    /// The attributes of a section of them: their numbers and values.
    fn attributes(&self, section: &str) -> impl Iterator<Item = (u8, &[u8])> {
        let mut rest = self.section(section).map_or(&[][..], |section| &section.data);
        std::iter::from_fn(move || {
            let (head, behind) = rest.split_first_chunk::<4>()?;
            // Format 4 has a value of its own, of a size that stands here; the others have it in these two bytes.
            let (value, next) = match head[0] {
                4 => behind.split_at_checked(usize::from(u16::from_le_bytes([head[2], head[3]])))?,
                _ => (&rest[2..4], behind),
            };
            rest = next;
            Some((head[1], value))
        })
    }
}

/// The most bytes of a section whose contents are not in the file.
const LARGEST: usize = 1 << 28;

fn half(value: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(value.get(at..at + 2)?.try_into().ok()?))
}
