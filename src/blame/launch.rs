//! How a kernel is launched: a file that says it, and what is assumed without one.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::interpret::{EntryDescription, ParameterDescription};
use crate::kernel_case::{KernelArgument, KernelBuffer, KernelCase, KernelLaunch};
use crate::space::Draw;
use crate::spec::Kind;

/// A launch of a kernel: the entry, the grid, and a value for each parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaunchFile {
    /// The entry; the only one of the module if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// The number of blocks in x, y and z.
    #[serde(default = "one")]
    pub grid: [u32; 3],
    /// The number of threads of a block in x, y and z.
    #[serde(default = "one")]
    pub block: [u32; 3],
    /// The value of each parameter, by its name.
    #[serde(default)]
    pub parameters: BTreeMap<String, LaunchValue>,
}

fn one() -> [u32; 3] {
    [1; 3]
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LaunchValue {
    /// The address of a new buffer in global memory.
    Buffer(LaunchBuffer),
    /// The address of the buffer of another parameter.
    Same(String),
    /// An unsigned number of 8 bits.
    U8(u8),
    /// An unsigned number of 16 bits.
    U16(u16),
    /// An unsigned number of 32 bits.
    U32(u32),
    /// An unsigned number of 64 bits.
    U64(u64),
    /// A signed number of 8 bits.
    S8(i8),
    /// A signed number of 16 bits.
    S16(i16),
    /// A signed number of 32 bits.
    S32(i32),
    /// A signed number of 64 bits.
    S64(i64),
    /// A float of 32 bits.
    F32(f32),
    /// A float of 64 bits.
    F64(f64),
    /// The bytes, as hexadecimal digits.
    Bytes(String),
}

/// A buffer in global memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaunchBuffer {
    /// Its size in bytes; that of its contents if it is left out. What the contents leave is zeros.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
    /// Its contents before the launch; zeros if they are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<BufferContents>,
}

/// The contents of a buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BufferContents {
    /// Unsigned numbers of 8 bits.
    U8(Vec<u8>),
    /// Unsigned numbers of 16 bits.
    U16(Vec<u16>),
    /// Unsigned numbers of 32 bits.
    U32(Vec<u32>),
    /// Unsigned numbers of 64 bits.
    U64(Vec<u64>),
    /// Signed numbers of 32 bits.
    S32(Vec<i32>),
    /// Signed numbers of 64 bits.
    S64(Vec<i64>),
    /// Floats of 32 bits.
    F32(Vec<f32>),
    /// Floats of 64 bits.
    F64(Vec<f64>),
    /// Bytes, as hexadecimal digits.
    Hex(String),
    /// Drawn bytes: the same for the same seed.
    Random(u64),
}

/// The size of a buffer that nobody described, in bytes.
const BUFFER: usize = 4096;
/// The number for a parameter that nobody described.
const NUMBER: u8 = 7;
/// More than a buffer has that anybody describes, in bytes.
const MOST: usize = 1 << 28;

impl LaunchFile {
    /// A launch of an entry by one thread, as one would write it first: drawn bytes behind each address that the entry uses, a small
    /// number for each other parameter.
    pub fn assumed(entry: &EntryDescription) -> Self {
        let seeds = 1..;
        let parameters =
            entry.parameters.iter().zip(seeds).map(|(of, seed)| (of.name.clone(), LaunchValue::assumed(of, seed)));
        Self { entry: Some(entry.name.clone()), grid: one(), block: one(), parameters: parameters.collect() }
    }

    /// Reads a launch from YAML.
    ///
    /// # Errors
    /// If it is not one; says where.
    pub fn read(text: &str) -> Result<Self, String> {
        // The library begins some of its messages so.
        serde_yaml::from_str(text).map_err(|why| why.to_string().trim_start_matches("error: ").to_owned())
    }

    /// The entry of a module that is launched.
    ///
    /// # Errors
    /// If the module has no such entry, or several and none is named.
    pub fn entry_of<'e>(&self, entries: &'e [EntryDescription]) -> Result<&'e EntryDescription, String> {
        entry_named(entries, self.entry.as_deref())
    }

    /// The launch as a kernel case.
    ///
    /// # Errors
    /// If a parameter has no value, a value no parameter, or a buffer cannot be made; says which.
    pub fn case(&self, module: &str, entries: &[EntryDescription]) -> Result<KernelCase, String> {
        let entry = self.entry_of(entries)?;
        let names: Vec<&str> = entry.parameters.iter().map(|of| of.name.as_str()).collect();
        if let Some(unknown) = self.parameters.keys().find(|name| !names.contains(&name.as_str())) {
            return Err(format!("`{}` has no parameter `{unknown}`; it has: {}", entry.name, names.join(", ")));
        }
        let (mut buffers, mut arguments) = (Vec::new(), Vec::new());
        for of in &entry.parameters {
            let value = self.parameters.get(&of.name);
            let value = value.ok_or_else(|| format!("the launch has no value for the parameter `{}`", of.name))?;
            arguments.push(match value {
                LaunchValue::Buffer(buffer) => {
                    let data = buffer.data().map_err(|why| format!("the buffer of `{}`: {why}", of.name))?;
                    buffers.push(KernelBuffer { name: of.name.clone(), data });
                    KernelArgument::Address(of.name.clone())
                }
                LaunchValue::Same(other) => match self.parameters.get(other) {
                    Some(LaunchValue::Buffer(_)) => KernelArgument::Address(other.clone()),
                    _ => return Err(format!("`{}` is the same as `{other}`, which has no buffer", of.name)),
                },
                number => KernelArgument::Bytes(number.bytes().map_err(|why| format!("`{}`: {why}", of.name))?),
            });
        }
        let launch = KernelLaunch { entry: entry.name.clone(), grid: self.grid, block: self.block, arguments };
        Ok(KernelCase { module: module.into(), buffers, launches: vec![launch] })
    }
}

/// The entry of this name, or the only one.
///
/// # Errors
/// If there is none; names those that there are.
pub fn entry_named<'e>(entries: &'e [EntryDescription], name: Option<&str>) -> Result<&'e EntryDescription, String> {
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let found = match (name, entries) {
        (None, [only]) => Some(only),
        (Some(name), _) => entries.iter().find(|entry| entry.name == name),
        (None, _) => None,
    };
    found.ok_or_else(|| match (name, names.is_empty()) {
        (_, true) => "the module has no entry".to_owned(),
        (Some(name), _) => format!("the module has no entry `{name}`; it has: {}", names.join(", ")),
        (None, _) => format!("the module has several entries; choose one of: {}", names.join(", ")),
    })
}

impl LaunchValue {
    fn assumed(of: &ParameterDescription, seed: u64) -> Self {
        let whole = u64::from(of.bits) == of.size * 8;
        match (of.kind, of.size) {
            (_, 8) if of.is_address => {
                Self::Buffer(LaunchBuffer { bytes: Some(BUFFER), holds: Some(BufferContents::Random(seed)) })
            }
            (Kind::Float, 4) if whole => Self::F32(NUMBER.into()),
            (Kind::Float, 8) if whole => Self::F64(NUMBER.into()),
            (_, 1) => Self::U8(NUMBER),
            (_, 2) => Self::U16(NUMBER.into()),
            (_, 4) => Self::U32(NUMBER.into()),
            (_, 8) => Self::U64(NUMBER.into()),
            (_, size) => Self::Bytes("00".repeat(usize::try_from(size).unwrap_or(0))),
        }
    }

    /// The bytes of a number.
    fn bytes(&self) -> Result<Vec<u8>, String> {
        Ok(match self {
            Self::U8(number) => number.to_le_bytes().into(),
            Self::U16(number) => number.to_le_bytes().into(),
            Self::U32(number) => number.to_le_bytes().into(),
            Self::U64(number) => number.to_le_bytes().into(),
            Self::S8(number) => number.to_le_bytes().into(),
            Self::S16(number) => number.to_le_bytes().into(),
            Self::S32(number) => number.to_le_bytes().into(),
            Self::S64(number) => number.to_le_bytes().into(),
            Self::F32(number) => number.to_le_bytes().into(),
            Self::F64(number) => number.to_le_bytes().into(),
            Self::Bytes(digits) => digits_of(digits)?,
            Self::Buffer(_) | Self::Same(_) => return Err("it is no number".to_owned()),
        })
    }
}

impl LaunchBuffer {
    fn data(&self) -> Result<Vec<u8>, String> {
        let mut data = match &self.holds {
            None => Vec::new(),
            Some(BufferContents::Random(seed)) => drawn(*seed, self.bytes.unwrap_or(BUFFER).min(MOST)),
            Some(holds) => holds.bytes()?,
        };
        let size = self.bytes.unwrap_or(data.len());
        if size > MOST {
            return Err(format!("{size} bytes are too many; at most {MOST}"));
        }
        if size < data.len() {
            return Err(format!("its contents have {} bytes, and it has {size}", data.len()));
        }
        data.resize(size, 0);
        Ok(data)
    }
}

impl BufferContents {
    fn bytes(&self) -> Result<Vec<u8>, String> {
        fn all<T: Copy, const N: usize>(numbers: &[T], bytes: fn(T) -> [u8; N]) -> Vec<u8> {
            numbers.iter().flat_map(|number| bytes(*number)).collect()
        }
        Ok(match self {
            Self::U8(numbers) => numbers.clone(),
            Self::U16(numbers) => all(numbers, u16::to_le_bytes),
            Self::U32(numbers) => all(numbers, u32::to_le_bytes),
            Self::U64(numbers) => all(numbers, u64::to_le_bytes),
            Self::S32(numbers) => all(numbers, i32::to_le_bytes),
            Self::S64(numbers) => all(numbers, i64::to_le_bytes),
            Self::F32(numbers) => all(numbers, f32::to_le_bytes),
            Self::F64(numbers) => all(numbers, f64::to_le_bytes),
            Self::Hex(digits) => digits_of(digits)?,
            Self::Random(seed) => drawn(*seed, BUFFER),
        })
    }
}

fn drawn(seed: u64, bytes: usize) -> Vec<u8> {
    let mut draw = Draw::named("buffer", seed);
    (0..bytes).map(|_| draw.below(256).and_then(|byte| u8::try_from(byte).ok()).unwrap_or_default()).collect()
}

/// The bytes of hexadecimal digits, two each.
fn digits_of(digits: &str) -> Result<Vec<u8>, String> {
    let wrong = || format!("`{digits}` is not hexadecimal digits, two for each byte");
    if !digits.is_ascii() || !digits.len().is_multiple_of(2) {
        return Err(wrong());
    }
    let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap_or_default());
    pairs.map(|pair| u8::from_str_radix(pair, 16).map_err(|_| wrong())).collect()
}
