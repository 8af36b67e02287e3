//! Variables that get their contents while an entry runs: how each does, and how it is read back.

use std::borrow::Cow;

use super::declared::DeclaredNames;
use super::put::put;
use super::scopes::{Scopes, StatementScope};
use crate::line_case::LineCase;
use ptx_spec::ptx::Context;

/// How a variable gets its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filling {
    /// From the launch.
    EntryParameter,
    /// From the entry, which calls the function that it is a parameter of.
    FunctionParameter,
    /// From a function that returns them.
    Returned,
    /// From a copy that the threads of a block make.
    Shared,
    /// From a copy that each thread makes.
    Local,
    /// From a copy that the only thread of a launch makes, because it may write it.
    Global,
}

/// A variable that gets its contents while the entry runs.
pub(super) struct Filled<'a> {
    pub(super) statement: &'a DeclaredNames<'a>,
    pub(super) name: &'a str,
    pub(super) bytes: Cow<'a, [u8]>,
    pub(super) how: Filling,
    /// True if it is read back after the line.
    pub(super) observed: bool,
    /// The global variable that has the contents.
    pub(super) mirror: String,
}

/// The variables that have no initial values, or get them again; the names of the global variables that have
/// their contents begin with `prefix`.
pub(super) fn filled<'a>(scopes: &Scopes<'a>, prefix: &str) -> Result<Vec<Filled<'a>>, String> {
    let case = scopes.case;
    let mut filled = Vec::new();
    for (scope, statements) in scopes.declared {
        for (statement, declared) in statements.iter().flat_map(|one| one.names.iter().map(move |name| (one, name))) {
            let written = written(case, statement.space(), declared.name)?;
            let how = match (statement.space(), scope, scopes.context) {
                (".param", StatementScope::Header, Context::Entry) => Filling::EntryParameter,
                (".param", StatementScope::Header, Context::Function) => Filling::FunctionParameter,
                (".param", ..) => Filling::Returned,
                (".shared", StatementScope::Body, Context::Function) if case.variable(declared.name).is_some() => {
                    return Err(format!("`{}` is shared memory of a function, not of the entry", declared.name));
                }
                (".shared", ..) => Filling::Shared,
                (".local", ..) => Filling::Local,
                _ if written => Filling::Global,
                _ => continue,
            };
            let bytes = match case.variable(declared.name) {
                Some(variable) => Cow::Borrowed(variable.data.as_slice()),
                // Every parameter is passed.
                None if scope == StatementScope::Header => Cow::Owned(vec![0; statement.size(declared)?]),
                None => continue,
            };
            let mirror = format!("{prefix}_{}", filled.len());
            filled.push(Filled { statement, name: declared.name, bytes, how, observed: written, mirror });
        }
    }
    Ok(filled)
}

/// True if a variable has contents that the line may write.
///
/// # Errors
/// If it is written and cannot be read back.
fn written(case: &LineCase, space: &str, name: &str) -> Result<bool, String> {
    if case.variable(name).is_none() || !case.may_write(name) {
        return Ok(false);
    }
    match space {
        ".global" | ".shared" | ".local" => Ok(true),
        // The case does not say what is written, so what cannot be read back is assumed not to be.
        _ if case.writes.is_none() => Ok(false),
        _ => Err(format!("`{name}` in {space} cannot be read back")),
    }
}

/// The widest words that variables are copied by, in bytes. All copies are aligned to it.
pub(super) const WIDEST: usize = 8;

impl Filled<'_> {
    /// The size of the words that it is copied by: the widest that leave nothing over.
    fn word(&self) -> usize {
        1 << self.bytes.len().trailing_zeros().min(WIDEST.trailing_zeros())
    }

    /// How many words it is copied by.
    pub(super) fn words(&self) -> usize {
        self.bytes.len() / self.word()
    }
}

/// Copies the contents of a variable word by word. The count is read from memory, so that the variable is
/// not split into registers.
pub(super) fn copy(filled: &Filled<'_>, own: &str, text: &mut String) {
    let Filled { statement, name, mirror, .. } = filled;
    put!(text, "mov.u64 %{own}x, {mirror};\nmov.u64 %{own}y, {name};");
    copy_words(filled, [".global", statement.space()], "next", own, text);
}

/// Copies a variable to the results, as [`copy`] does.
pub(super) fn observe(filled: &Filled<'_>, at: usize, own: &str, text: &mut String) {
    let Filled { statement, name, .. } = filled;
    put!(text, "mov.u64 %{own}x, {name};\nadd.u64 %{own}y, %{own}result, {at};");
    copy_words(filled, [statement.space(), ".global"], "back", own, text);
}

/// Copies the words of a variable from `x` to `y`.
fn copy_words(filled: &Filled<'_>, [from, to]: [&str; 2], label: &str, own: &str, text: &mut String) {
    let (mirror, bytes) = (&filled.mirror, filled.word());
    let bits = bytes * 8;
    let between = if bytes == WIDEST { "w" } else { "b" };
    // Unrolled, loops are what takes most of the time to compile a kernel.
    put!(text, "ld.global.u32 %{own}a, [{mirror}_words];\n.pragma \"nounroll\";\n{mirror}_{label}:");
    put!(text, "ld{from}.u{bits} %{own}{between}, [%{own}x];\nst{to}.u{bits} [%{own}y], %{own}{between};");
    put!(text, "add.u64 %{own}x, %{own}x, {bytes};\nadd.u64 %{own}y, %{own}y, {bytes};\nsub.u32 %{own}a, %{own}a, 1;");
    put!(text, "setp.ne.u32 %{own}p, %{own}a, 0;\n@%{own}p bra {mirror}_{label};");
}

/// Stores the contents of a variable to a parameter.
pub(super) fn pass(filled: &Filled<'_>, to: &str, own: &str, text: &mut String) {
    let (mirror, size) = (&filled.mirror, filled.bytes.len());
    let whole = size / 8 * 8;
    for at in (0..whole).step_by(8) {
        put!(text, "ld.global.u64 %{own}x, [{mirror}+{at}];\nst.param.b64 [{to}+{at}], %{own}x;");
    }
    for at in whole..size {
        put!(text, "ld.global.u8 %{own}a, [{mirror}+{at}];\nst.param.b8 [{to}+{at}], %{own}a;");
    }
}
