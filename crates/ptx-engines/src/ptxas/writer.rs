//! The lines of batches, written as modules.

use std::io;
use std::path::Path;

use super::Ptxas;
use super::diagnostics::{file_name, function_name, name_suffix};
use super::mode::{ABSORBER, AskMode, MARK};
use super::registers::DeclaredRegisters;
use super::sharing::{Sharing, sharing};
use crate::Batch;
use crate::scratch::ScratchFolder;
use ptx_spec::ptx::{Context, ModuleNames, Scaffold};

/// Lines (positions over all batches) that share a module; none if the scaffold of their batch is asked about.
#[derive(Clone, Copy)]
pub(super) struct ModuleLines<'l> {
    pub(super) batch: usize,
    pub(super) lines: &'l [usize],
}

/// A file of a process.
#[derive(Clone, Copy)]
pub(super) struct ProcessFile {
    /// Its number, from 0.
    pub(super) number: usize,
    /// True if it is not the only one.
    pub(super) shares: bool,
}

/// The lines of batches that can share a process, and where they are written as modules. Each line has a position over
/// all batches.
pub(super) struct BatchWriter<'a> {
    batches: &'a [&'a Batch<'a>],
    /// The registers of each scaffold, if they are known.
    registers: Vec<Option<DeclaredRegisters<'a>>>,
    /// The names that modules of each batch declare if lines may, and that must differ between the modules of a process.
    /// None if they cannot.
    names: Vec<Option<ModuleNames>>,
    /// The lines, each with its batch.
    lines: Vec<(usize, &'a str)>,
    directory: ScratchFolder,
}

impl<'a> BatchWriter<'a> {
    /// # Errors
    /// If there is no directory for the modules.
    pub(super) fn new(ptxas: &Ptxas, batches: &'a [&'a Batch<'a>]) -> io::Result<Self> {
        let registers = batches.iter().map(|batch| DeclaredRegisters::of(&batch.scaffold.locals)).collect();
        let of_batch = |(at, batch): (usize, &&'a Batch<'a>)| batch.lines.iter().map(move |line| (at, *line));
        let lines = batches.iter().enumerate().flat_map(of_batch).collect();
        let names = batches.iter().map(|batch| declared_names(batch)).collect();
        Ok(Self { batches, registers, names, lines, directory: ptxas.binary.directory()? })
    }

    /// The most that a line can share with others.
    pub(super) fn sharing(&self, line: usize) -> Sharing {
        // A header may hold for all later modules of a process.
        let is_header = self.batch(line).scaffold.context == Context::Header;
        match self.names[self.batch_of(line)] {
            Some(_) if !is_header => sharing(self.line(line)),
            _ => Sharing::Nothing,
        }
    }

    /// The first batch: all have what the arguments of a process depend on.
    pub(super) fn first(&self) -> &'a Batch<'a> {
        self.batches[0]
    }

    /// The text of a line.
    pub(super) fn line(&self, line: usize) -> &'a str {
        self.lines[line].1
    }

    /// The position of a line's batch.
    pub(super) fn batch_of(&self, line: usize) -> usize {
        self.lines[line].0
    }

    /// The batch with this line.
    pub(super) fn batch(&self, line: usize) -> &'a Batch<'a> {
        self.batches[self.batch_of(line)]
    }

    /// The lines by batch.
    pub(super) fn by_batch<'l>(&self, lines: &'l [usize]) -> impl Iterator<Item = &'l [usize]> {
        lines.chunk_by(|&a, &b| self.batch_of(a) == self.batch_of(b))
    }

    /// The lines by module, up to `chunk` in each.
    pub(super) fn parted<'l>(&self, lines: &'l [usize], chunk: usize) -> Vec<ModuleLines<'l>> {
        let modules = self.by_batch(lines).flat_map(|lines| lines.chunks(chunk.max(1)));
        modules.map(|lines| ModuleLines { batch: self.batch_of(lines[0]), lines }).collect()
    }

    /// Where the modules are.
    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes modules with these lines, and the statements that belong to the mode. Returns their names.
    pub(super) fn write_each(&self, modules: &[Vec<usize>], mode: AskMode) -> io::Result<Vec<String>> {
        let shares = modules.len() > 1;
        let write = |(number, lines): (usize, &Vec<usize>)| {
            let mut statements = Vec::new();
            mode.fill(&mut statements, lines.iter().map(|&line| self.line(line)));
            let name = file_name(number);
            let batch = lines.first().map_or(0, |&line| self.batch_of(line));
            let (module, _) = self.module(batch, ProcessFile { number, shares }, &statements, true);
            std::fs::write(self.path().join(&name), module)?;
            Ok(name)
        };
        modules.iter().enumerate().map(write).collect()
    }

    /// Writes the modules of one process. Returns the names of the files, and for each module the text line of its first
    /// statement.
    pub(super) fn write(&self, modules: &[ModuleLines<'_>], mode: AskMode) -> io::Result<(Vec<String>, Vec<usize>)> {
        let mut names = Vec::with_capacity(modules.len());
        let shares = modules.len() > 1;
        let mut text = Vec::new();
        let mut write = |batch: usize, text: &[&str]| {
            // Not where code is generated: there a process has one module.
            let registers = self.registers[batch].as_ref().map_or(0, DeclaredRegisters::len);
            let few = mode != AskMode::Generate && text.len() < registers;
            let (module, start) = self.module(batch, ProcessFile { number: names.len(), shares }, text, few);
            let name = file_name(names.len());
            std::fs::write(self.path().join(&name), module)?;
            names.push(name);
            io::Result::Ok(start)
        };
        let mut starts = Vec::with_capacity(modules.len());
        for module in modules {
            text.clear();
            mode.fill(&mut text, module.lines.iter().map(|&line| self.line(line)));
            starts.push(write(module.batch, &text)?);
            if mode == AskMode::Spaced {
                write(module.batch, &[ABSORBER, MARK])?;
            }
        }
        Ok((names, starts))
    }

    /// A module of a batch with these statements, and the text line of the first one. With `few` statements, registers
    /// that none of them names are left out, if that is possible.
    pub(super) fn module(&self, batch: usize, file: ProcessFile, statements: &[&str], few: bool) -> (String, usize) {
        let (text, first) = self.named_module(batch, file.number, statements, few);
        match &self.names[batch] {
            Some(names) if file.shares && !names.is_empty() => {
                (names.suffixed(&text, &name_suffix(file.number)), first)
            }
            _ => (text, first),
        }
    }

    /// The same with the names that it declares as they are.
    fn named_module(&self, batch: usize, number: usize, statements: &[&str], few: bool) -> (String, usize) {
        let Batch { environment, scaffold, .. } = self.batches[batch];
        let name = function_name(number);
        if scaffold.context.outside() {
            // Statements of our own are instructions.
            let own = |(at, statement): (usize, &&str)| match *statement {
                ABSORBER | MARK => format!(".entry {name}_{at} {{ {statement} ret; }}"),
                directive => directive.to_owned(),
            };
            let wrapped: Vec<String> = statements.iter().enumerate().map(own).collect();
            let statements: Vec<&str> = wrapped.iter().map(String::as_str).collect();
            return scaffold.module(environment, &name, &statements);
        }
        match self.registers[batch].as_ref().filter(|_| few).and_then(|registers| registers.needed(statements)) {
            Some(locals) => Scaffold { locals, ..scaffold.clone() }.module(environment, &name, statements),
            None => scaffold.module(environment, &name, statements),
        }
    }
}

/// The names that the modules of a batch declare, as far as its lines may declare some; None if they cannot be others.
fn declared_names(batch: &Batch<'_>) -> Option<ModuleNames> {
    if !batch.scaffold.alone {
        return Some(ModuleNames::default());
    }
    let (module, _) = batch.scaffold.module(&batch.environment, &function_name(0), &batch.lines);
    ModuleNames::of(&module)
}
