//! NVIDIA's disassembler, which prints instruction words as text.
//!
//! Starting it takes a quarter of a second whatever it is given, so all new words of a question go to it at once.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use ptx_sass::cubin::WORD_BYTES;
use ptx_spec::must::Must as _;
use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::known_words::KnownWords;
use super::printed_word::PrintedWord;
use crate::child::{self, Allowance, End};
use crate::identity::OpenedFile;
use crate::scratch::{Scratch, ScratchFolder};

/// The message about a word that it does not know.
const ILLEGAL: &str = "Illegal instruction";

/// The disassembler, for the machine code of one target.
#[derive(Debug)]
pub(super) struct Disassembler {
    path: PathBuf,
    /// The program as it was first; `None` if there was none, which running it reports.
    program: Option<OpenedFile>,
    /// Its name for the target: `SM90`.
    target: &'static str,
    /// The folder that keeps what was printed in earlier runs; `None` keeps nothing.
    cache: Option<PathBuf>,
    /// Where the folders of processes are made; none if that failed.
    scratch: Option<Scratch>,
    known: Mutex<Option<KnownWords>>,
    /// The number of the last time that its words were read, among all disassemblers.
    read_at: AtomicU64,
}

/// How many disassemblers have their words in memory, of those that can read them again.
const IN_MEMORY: usize = 4;

/// The reason why there are known words.
const READ: &str = "what earlier runs kept was read";

/// A word costs microseconds; this is for hundreds of thousands of them.
const LIMITS: Allowance = Allowance { time: Duration::from_secs(120), output: 1 << 30, address_space: None };

/// The reason why machine code cannot be shown as text.
#[derive(Debug, thiserror::Error)]
#[error("`{}`: {problem}", program.display())]
pub struct DisassemblerError {
    /// The disassembler.
    pub program: PathBuf,
    /// The problem with it.
    #[source]
    pub problem: DisassemblerProblem,
}

/// The problems of a disassembler.
#[derive(Debug, thiserror::Error)]
pub enum DisassemblerProblem {
    /// The program cannot be run, or was replaced after it was opened.
    #[error(transparent)]
    Run(#[from] io::Error),
    /// The program failed; has its last line.
    #[error("it failed: {0}")]
    Failed(String),
    /// The program printed something else than instructions.
    #[error(transparent)]
    Printed(#[from] serde_json::Error),
    /// The program printed more or fewer instructions than there are words.
    #[error("it printed {given} instructions for {asked} words")]
    Count {
        /// The instructions.
        given: usize,
        /// The words.
        asked: usize,
    },
    /// The program is another one.
    #[error("it is not nvdisasm: it prints no version")]
    Version,
}

/// How often words were read.
static READS: AtomicU64 = AtomicU64::new(0);

/// The disassemblers of this process: the engines of a target share one, and what it knows.
static OPENED: Mutex<Vec<Weak<Disassembler>>> = Mutex::new(Vec::new());

impl Disassembler {
    /// The program at `path`, for a target by its name for it. Engines of the same program, target and cache get the same.
    pub(super) fn open(path: &Path, target: &'static str, cache: Option<PathBuf>) -> Arc<Self> {
        // Entries are added whole, so they are valid even if a thread panicked.
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        opened.retain(|known| known.strong_count() > 0);
        let is_this = |known: &Arc<Self>| known.path == path && known.target == target && known.cache == cache;
        opened.iter().filter_map(Weak::upgrade).find(is_this).unwrap_or_else(|| {
            let new = Arc::new(Self::new(path, target, cache));
            opened.push(Arc::downgrade(&new));
            new
        })
    }

    fn new(path: &Path, target: &'static str, cache: Option<PathBuf>) -> Self {
        let program = OpenedFile::new(path.to_owned()).ok();
        let scratch = Scratch::open_on_disk().ok();
        let path = path.to_owned();
        Self { path, program, target, cache, scratch, known: Mutex::default(), read_at: AtomicU64::default() }
    }

    /// A folder for one process.
    fn folder(&self) -> io::Result<ScratchFolder> {
        match &self.scratch {
            Some(scratch) => scratch.folder(),
            None => Scratch::open_on_disk()?.folder(),
        }
    }

    /// The text of each of these words of machine code.
    ///
    /// # Errors
    /// If it cannot be started, or prints something else.
    pub(super) fn print(&self, words: &[u128]) -> Result<Vec<PrintedWord>, DisassemblerError> {
        let mut distinct = distinct(words);
        let mut texts: FxHashMap<u128, PrintedWord> = {
            let known = self.known()?;
            let known = known.as_ref().must(READ);
            distinct.iter().filter_map(|&word| Some((word, known.get(word)?))).collect()
        };
        distinct.retain(|word| !texts.contains_key(word));
        // Meanwhile others may ask as well, perhaps about the same words; and what is known may be put away.
        let printed = self.printed(&distinct)?;
        if !printed.is_empty() {
            self.known()?.as_mut().must(READ).add(&printed);
        }
        texts.extend(printed);
        // A word that is left out would move the code after it.
        Ok(words.iter().map(|word| texts.get(word).cloned().must("each word is known or was printed")).collect())
    }

    /// The text of each of these words of machine code, of which no later question will have many: nothing is kept.
    ///
    /// # Errors
    /// As [`Self::print`].
    pub(super) fn print_once(&self, words: &[u128]) -> Result<Vec<PrintedWord>, DisassemblerError> {
        let printed = self.printed(&distinct(words))?;
        Ok(words.iter().map(|word| printed[word].clone()).collect())
    }

    /// The text of each of these words, none of which is known.
    fn printed(&self, words: &[u128]) -> Result<FxHashMap<u128, PrintedWord>, DisassemblerError> {
        if words.is_empty() {
            return Ok(FxHashMap::default());
        }
        let printed = self.ask(words).map_err(|problem| self.error(problem))?;
        Ok(printed.into_iter().map(|printed| (printed.word, printed)).collect())
    }

    /// The text of a whole file of machine code, with the lines that its instructions were made of.
    ///
    /// # Errors
    /// If it cannot be started, or fails.
    pub(super) fn print_lines(&self, code: &[u8]) -> Result<String, DisassemblerError> {
        let printed = || -> Result<String, DisassemblerProblem> {
            let directory = self.folder()?;
            std::fs::write(directory.path().join("code"), code)?;
            let printed = self.run(directory.path(), &["-c", "-gp", "code"])?.map_err(DisassemblerProblem::Failed)?;
            Ok(String::from_utf8_lossy(&printed).into_owned())
        };
        printed().map_err(|problem| self.error(problem))
    }

    /// The known words, once they were read.
    fn known(&self) -> Result<MutexGuard<'_, Option<KnownWords>>, DisassemblerError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            *known = Some(self.kept().map_err(|problem| self.error(problem))?);
            self.put_others_away();
        }
        Ok(known)
    }

    /// Puts away the words of the disassemblers that were read longest ago: a run asks its engines one after the other, and
    /// the files have the words.
    fn put_others_away(&self) {
        self.read_at.store(READS.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        let mut others: Vec<Arc<Self>> = opened.iter().filter_map(Weak::upgrade).collect();
        others.retain(|other| other.cache.is_some() && !std::ptr::eq(&raw const **other, self));
        others.sort_by_key(|other| std::cmp::Reverse(other.read_at.load(Ordering::Relaxed)));
        for other in others.into_iter().skip(IN_MEMORY - 1) {
            // One that is being asked keeps its words.
            if let Ok(mut known) = other.known.try_lock() {
                *known = None;
            }
        }
    }

    /// The text of these words. It prints nothing at all if it does not know one of them, which is then searched
    /// for.
    fn ask(&self, words: &[u128]) -> Result<Vec<PrintedWord>, DisassemblerProblem> {
        let directory = self.folder()?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        std::fs::write(directory.path().join("words"), bytes)?;
        let printed = match self.run(directory.path(), &["-b", self.target, "-ndf", "-json", "words"])? {
            Ok(printed) => parse(&printed, words)?,
            Err(said) if said.contains(ILLEGAL) => Vec::new(),
            Err(said) => return Err(DisassemblerProblem::Failed(said)),
        };
        match (printed.len(), words) {
            (given, _) if given == words.len() => Ok(printed),
            // It drops words that it does not know, or prints nothing at all.
            (0, [word]) => Ok(vec![PrintedWord::unknown(*word)]),
            (given, [_] | []) => Err(DisassemblerProblem::Count { given, asked: words.len() }),
            _ => {
                let (first, second) = words.split_at(words.len() / 2);
                Ok([self.ask(first)?, self.ask(second)?].concat())
            }
        }
    }

    /// Its output, or the last line if it fails.
    fn run(&self, directory: &Path, arguments: &[&str]) -> io::Result<Result<Vec<u8>, String>> {
        let mut command = std::process::Command::new(&self.path);
        command.args(arguments).current_dir(directory);
        let ended = child::run(command, &directory.join("printed"), &LIMITS)?;
        // The cache belongs to the release that was opened.
        self.program.iter().try_for_each(OpenedFile::check)?;
        match ended {
            (End::Exited(0), printed) => Ok(Ok(printed)),
            (_, printed) => {
                let printed = String::from_utf8_lossy(&printed);
                let last = printed.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
                Ok(Err(crate::words::visible(last).into_owned()))
            }
        }
    }

    fn error(&self, problem: DisassemblerProblem) -> DisassemblerError {
        DisassemblerError { program: self.path.clone(), problem }
    }

    /// The words that earlier runs kept, by release and target. Lines that are cut off are left out.
    fn kept(&self) -> Result<KnownWords, DisassemblerProblem> {
        let Some(cache) = &self.cache else { return Ok(KnownWords::default()) };
        let directory = self.folder()?;
        let printed = self.run(directory.path(), &["--version"])?.map_err(DisassemblerProblem::Failed)?;
        let release = version(&printed).ok_or(DisassemblerProblem::Version)?;
        Ok(KnownWords::read(cache.join(format!("{release}-{}", self.target))))
    }
}

/// `13.5.37` from `Cuda compilation tools, release 13.5, V13.5.37`.
fn version(printed: &[u8]) -> Option<String> {
    let printed = String::from_utf8_lossy(printed);
    let version = printed.split_once(", V")?.1.split_whitespace().next()?;
    version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.').then(|| version.to_owned())
}

/// The words, each once.
fn distinct(words: &[u128]) -> Vec<u128> {
    let mut distinct = words.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// The instructions in what `nvdisasm -json` prints for words: a header, and a list of functions.
fn parse(printed: &[u8], words: &[u128]) -> Result<Vec<PrintedWord>, serde_json::Error> {
    #[derive(Deserialize)]
    struct PrintedFunction {
        #[serde(rename = "sass-instructions")]
        instructions: Vec<PrintedText>,
    }
    #[derive(Deserialize)]
    struct PrintedText {
        #[serde(default)]
        predicate: String,
        opcode: String,
        #[serde(default)]
        operands: String,
    }
    let (_, functions): (serde::de::IgnoredAny, Vec<PrintedFunction>) = serde_json::from_slice(printed)?;
    let instructions = functions.into_iter().flat_map(|function| function.instructions).enumerate();
    let printed = |(at, PrintedText { predicate, opcode, operands }): (usize, PrintedText)| PrintedWord {
        word: words.get(at).copied().unwrap_or(0),
        at: (at * WORD_BYTES) as u64,
        predicate,
        opcode,
        operands,
    };
    Ok(instructions.map(printed).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_read_from_json() {
        let text = br#"[{"ELF":{}},[{"function-name":"Unknown","sass-instructions":[{"opcode":"NOP"},
            {"predicate":"@P0","opcode":"BRA","operands":"0x40","other-attributes":{"control-flow":"True"}}]}]]"#;
        let printed = |word, at, predicate: &str, opcode: &str, operands: &str| PrintedWord {
            word,
            at,
            predicate: predicate.to_owned(),
            opcode: opcode.to_owned(),
            operands: operands.to_owned(),
        };
        let instructions = [printed(8, 0, "", "NOP", ""), printed(9, 16, "@P0", "BRA", "0x40")];
        assert_eq!(parse(text, &[8, 9]).expect("instructions"), instructions);
        assert!(parse(b"nvdisasm error", &[]).is_err());
    }

    #[test]
    fn engines_of_a_target_share_one() {
        let open = |target| Disassembler::open(Path::new("/nowhere"), target, None);
        let (one, same, other) = (open("SM90"), open("SM90"), open("SM80"));
        assert!(Arc::ptr_eq(&one, &same) && !Arc::ptr_eq(&one, &other));
        assert!(one.print(&[9]).is_err_and(|why| why.to_string().starts_with("`/nowhere`: ")));
    }

    #[test]
    fn a_replaced_disassembler_prints_nothing() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("nvdisasm");
        let script = |opcode: &str| {
            format!("#!/bin/sh\necho '[{{}},[{{\"sass-instructions\":[{{\"opcode\":\"{opcode}\"}}]}}]]'\n")
        };
        std::fs::write(&path, script("NOP")).expect("a script");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
        let disassembler = Disassembler::new(&path, "SM90", None);
        assert!(disassembler.print(&[1]).is_ok_and(|printed| printed[0].opcode == "NOP"));
        std::fs::write(&path, script("MOV32I")).expect("another script");
        assert!(disassembler.print(&[2]).is_err_and(|why| why.to_string().contains("was replaced")));
    }

    #[test]
    fn few_have_their_words_in_memory() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("nvdisasm");
        let script = "#!/bin/sh\n[ \"$1\" = --version ] && echo 'release 13.5, V13.5.37' && exit\n\
            echo 1 >> \"$0.log\"\necho '[{},[{\"sass-instructions\":[{\"opcode\":\"NOP\"}]}]]'\n";
        std::fs::write(&path, script).expect("a script");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
        let targets = ["SM75", "SM80", "SM86", "SM89", "SM90"];
        let all = targets.map(|target| Disassembler::open(&path, target, Some(folder.path().join("cache"))));
        let ask = |of: &Disassembler| of.print(&[1]).is_ok_and(|printed| printed[0].opcode == "NOP");
        assert!(all.iter().all(|of| ask(of)));
        // Other tests may put more of them away.
        assert!(all[0].known.lock().expect("no panic").is_none());
        // The words are read from the file again.
        assert!(ask(&all[0]));
        assert_eq!(std::fs::read_to_string(folder.path().join("nvdisasm.log")).expect("a log").lines().count(), 5);
    }

    #[test]
    fn releases_have_caches_of_their_own() {
        let printed =
            b"nvdisasm: NVIDIA (R) CUDA disassembler\nCuda compilation tools, release 13.5, V13.5.37\nBuild x";
        assert_eq!(version(printed).as_deref(), Some("13.5.37"));
        assert_eq!(version(b"release 13.5, V13/5"), None);
    }
}
