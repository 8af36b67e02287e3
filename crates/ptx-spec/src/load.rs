//! From YAML texts to a checked [`Spec`].

mod accuracy;
mod check;
mod conditions;
mod directive;
mod directive_syntax;
mod environment_axes;
mod file;
mod form;
mod instruction;
mod isa;
mod notation;
mod opcodes;
pub mod raw;
pub mod raw_accuracy;
pub mod raw_directive;
mod relations;
mod rules;
mod separate;
mod setup;
mod slots;
mod sources;
mod tables;
mod text_rules;
mod vocabulary;
mod writing;

use std::path::Path;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::spec::{Instruction, Isa, Spec};
use crate::yaml::{Error, FilePosition, parse};
use file::File;
use raw::{RawInstruction, RawIsa};
use raw_directive::RawDirective;
use sources::Sources;

const ISA: &str = "isa.yaml";
/// The folder of the files of directives.
pub const DIRECTIVES: &str = "directives";

fn is_instruction(name: &str) -> bool {
    name.ends_with(".yaml") && name != ISA
}

/// True for a file that looks as if it were part of a specification, and is not for its ending: `brev.yml`, `brev.YAML`.
pub fn has_wrong_ending(path: &Path) -> bool {
    let is = |right: &str| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(right));
    (is("yaml") || is("yml")) && path.extension().is_some_and(|ending| ending != "yaml")
}

/// The error about such a file: to leave it out in silence would leave out an instruction.
pub fn wrong_ending(path: &Path) -> Error {
    let why = "is not read: the names of files of a specification end in `.yaml`";
    Error::new(&path.display().to_string(), "", FilePosition::default(), why)
}

/// Reads a file of a specification. A pipe, which may never end, is none.
///
/// # Errors
/// If it cannot be read.
pub fn read_text(path: &Path) -> std::io::Result<String> {
    if std::fs::metadata(path)?.is_file() {
        std::fs::read_to_string(path)
    } else {
        Err(std::io::Error::other("it is not a file"))
    }
}

fn unreadable(path: &Path, why: std::io::Error) -> Vec<Error> {
    vec![Error::new(&path.display().to_string(), "", FilePosition::default(), format!("cannot be read: {why}"))]
}

fn read(path: &Path) -> Result<String, Vec<Error>> {
    read_text(path).map_err(|why| unreadable(path, why))
}

impl Isa {
    /// Reads and checks only the `isa.yaml` in a directory.
    ///
    /// # Errors
    /// Every error in it, or that it cannot be read.
    pub fn load(directory: &Path) -> Result<Self, Vec<Error>> {
        let path = directory.join(ISA);
        Spec::from_texts((&path.display().to_string(), &read(&path)?), &[]).map(|spec| spec.isa)
    }
}

impl Spec {
    /// Reads and checks `isa.yaml` and every instruction in a directory, and every directive in its `directives/`.
    ///
    /// ```
    /// use ptx_spec::spec::Spec;
    ///
    /// let spec = Spec::load("../../specs".as_ref()).map_err(|errors| errors[0].render(false))?;
    /// assert!(spec.complete && spec.instruction("mbarrier.init").is_some_and(|known| !known.forms.is_empty()));
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// Every error in the files, each with file, line and column.
    pub fn load(directory: &Path) -> Result<Self, Vec<Error>> {
        match Self::load_sound_part(directory)? {
            (spec, errors) if errors.is_empty() => Ok(spec),
            (_, errors) => Err(errors),
        }
    }

    /// As [`Spec::load`], but without the instructions whose files have errors, which come with it.
    ///
    /// # Errors
    /// Every error in `isa.yaml`, and a directory or file that cannot be read.
    pub fn load_sound_part(directory: &Path) -> Result<(Self, Vec<Error>), Vec<Error>> {
        let isa_path = directory.join(ISA);
        let isa = read(&isa_path)?;
        let (mut instructions, mut unread) = (Vec::new(), Vec::new());
        let directives = directory.join(DIRECTIVES);
        for directory in [directory, &directives].into_iter().filter(|directory| directory.is_dir()) {
            for entry in std::fs::read_dir(directory).map_err(|why| unreadable(directory, why))? {
                let path = entry.map_err(|why| unreadable(directory, why))?.path();
                if path.file_name().and_then(|name| name.to_str()).is_some_and(is_instruction) {
                    instructions.push((path.display().to_string(), read(&path)?));
                } else if has_wrong_ending(&path) {
                    unread.push(path);
                }
            }
        }
        instructions.sort();
        unread.sort();
        let (mut spec, mut errors) = Self::sound_part((&isa_path.display().to_string(), &isa), &instructions)?;
        spec.complete &= unread.is_empty();
        spec.left_out.extend(unread.iter().map(|path| stem(&path.display().to_string())));
        errors.extend(unread.iter().map(|path| wrong_ending(path)));
        Ok((spec, errors))
    }

    /// Reads and checks a specification from texts: `isa.yaml` and instructions, each with the file name to
    /// show in errors.
    ///
    /// # Errors
    /// As [`Spec::load`].
    pub fn from_texts(isa: (&str, &str), files: &[(String, String)]) -> Result<Self, Vec<Error>> {
        match Self::sound_part(isa, files)? {
            (spec, errors) if errors.is_empty() => Ok(spec),
            (_, errors) => Err(errors),
        }
    }

    /// As [`Spec::from_texts`], but without the instructions whose files have errors, which come with it.
    ///
    /// # Errors
    /// Every error in `isa.yaml`, on which all others depend.
    pub fn sound_part(isa: (&str, &str), files: &[(String, String)]) -> Result<(Self, Vec<Error>), Vec<Error>> {
        let raw_isa: RawIsa = parse(isa.0, isa.1).map_err(|error| vec![error])?;
        let isa = File { name: isa.0, text: isa.1 };
        let (checked, mut errors) = isa::checked(&isa, &raw_isa);
        // The shared file must be sound before anything is built on it.
        if !errors.is_empty() {
            return Err(errors);
        }
        let is_vocabulary = |name: &str| Path::new(name).file_name().is_some_and(|file| file == vocabulary::FILE);
        let (words, files_of_instructions): (Vec<_>, Vec<_>) = files.iter().partition(|(name, _)| is_vocabulary(name));
        let mut vocabulary = Vec::new();
        for (name, text) in words {
            match vocabulary::read(name, text) {
                Ok(words) => vocabulary = words,
                Err(more) => errors.extend(more),
            }
        }
        let loaded: Vec<LoadedFile> = files_of_instructions
            .par_iter()
            .map(|(name, text)| LoadedFile::read(&checked, (&isa, &raw_isa), &File { name, text }))
            .collect();
        let mut instructions: Vec<Instruction> = Vec::new();
        let mut directives: Vec<Instruction> = Vec::new();
        let mut left_out = Vec::new();
        for file in loaded {
            match file {
                LoadedFile::Sound(built) => instructions.extend(built),
                LoadedFile::Directive(built) => directives.push(*built),
                LoadedFile::Faulty(names, more) => {
                    left_out.extend(names);
                    errors.extend(more);
                }
            }
        }
        instructions.sort_by(|a, b| a.name.cmp(&b.name));
        directives.sort_by(|a, b| a.name.cmp(&b.name));
        let (by_name, by_opcode) = lookups(&instructions);
        let fingerprint = fingerprint([isa.text].into_iter().chain(files.iter().map(|(_, text)| text.as_str())));
        let complete = raw_isa.complete && left_out.is_empty();
        let isa = checked;
        let spec =
            Self { isa, instructions, directives, left_out, complete, vocabulary, fingerprint, by_name, by_opcode };
        Ok((spec, errors))
    }
}

/// A hash of texts in this order: 16 hexadecimal digits.
pub fn fingerprint<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut hasher = blake3::Hasher::new();
    texts.for_each(|text| _ = hasher.update(text.as_bytes()));
    hasher.finalize().to_hex()[..16].to_owned()
}

/// The contents of the file of an instruction.
enum LoadedFile {
    /// The instruction, or one for each of its opcodes.
    Sound(Vec<Instruction>),
    /// A directive.
    Directive(Box<Instruction>),
    /// The names of the instructions that are missing, and what is wrong.
    Faulty(Vec<String>, Vec<Error>),
}

impl LoadedFile {
    fn read(isa: &Isa, (isa_file, raw_isa): (&File<'_>, &RawIsa), file: &File<'_>) -> Self {
        if is_directive(file.name) {
            let read = parse::<RawDirective>(file.name, file.text).map_err(|error| vec![error]);
            return match read.and_then(|raw| directive::build(isa, (isa_file, raw_isa), file, &raw)) {
                Ok(built) => Self::Directive(Box::new(built)),
                Err(errors) => Self::Faulty(vec![stem(file.name)], errors),
            };
        }
        let mut raw = match parse::<RawInstruction>(file.name, file.text) {
            Ok(raw) => raw,
            Err(error) => return Self::Faulty(vec![stem(file.name)], vec![error]),
        };
        tables::expand(&mut raw, raw_isa);
        let named = opcodes::each(&raw);
        let build = |raw| instruction::build(&Sources { isa, raw_isa, isa_file, file, raw });
        match named.iter().map(build).collect() {
            Ok(built) => Self::Sound(built),
            Err(errors) => Self::Faulty(named.iter().map(|raw| raw.instruction.value.clone()).collect(), errors),
        }
    }
}

/// The positions of instructions by their names, and by their opcodes: there those with the longest names first.
fn lookups(instructions: &[Instruction]) -> (FxHashMap<String, usize>, FxHashMap<String, Vec<usize>>) {
    let by_name: FxHashMap<String, usize> =
        instructions.iter().enumerate().map(|(at, instruction)| (instruction.name.clone(), at)).collect();
    let mut by_opcode: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    // The name that begins with another is the one that is meant: `cp.async.bulk`, not `cp.async` with a modifier.
    let mut longest: Vec<usize> = (0..instructions.len()).collect();
    longest.sort_by_key(|&at| std::cmp::Reverse(instructions[at].prefix.len()));
    for at in longest {
        let name = &instructions[at].name;
        let opcode = name.split_once('.').map_or(name.as_str(), |(opcode, _)| opcode);
        by_opcode.entry(opcode.to_owned()).or_default().push(at);
    }
    (by_name, by_opcode)
}

/// True if a file describes a directive: it is in the folder of these.
fn is_directive(name: &str) -> bool {
    Path::new(name).parent().and_then(Path::file_name).is_some_and(|folder| folder == DIRECTIVES)
}

/// The name of the instruction that a file describes.
fn stem(name: &str) -> String {
    let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str());
    stem.unwrap_or(name).to_owned()
}

/// The JSON Schema of an instruction's YAML, for editors.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(raw::RawInstruction).to_value()
}

/// The JSON Schema of a directive's YAML.
pub fn directive_schema() -> serde_json::Value {
    schemars::schema_for!(RawDirective).to_value()
}

/// The JSON Schema of `vocabulary.yaml`.
pub fn vocabulary_schema() -> serde_json::Value {
    schemars::schema_for!(vocabulary::RawVocabulary).to_value()
}

/// The JSON Schema of `isa.yaml`.
pub fn isa_schema() -> serde_json::Value {
    schemars::schema_for!(raw::RawIsa).to_value()
}
