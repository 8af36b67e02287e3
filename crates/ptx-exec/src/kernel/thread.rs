//! The text of an entry: what a thread does for its row.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::declared::{Statement, check, initial, parameters, statements, with_contents};
use super::record::{Records, Results, records, results};
use super::{Bound, Kernel, Parameter, Place};
use crate::execution::{Execution, Holds, Input, SURFACE};
use ptx_spec::ptx::{Argument, Context, Line, Scaffold};

/// What our own names begin with, so that they are nobody else's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Names {
    /// Entries: `k`.
    pub(super) entry: String,
    /// All others.
    pub(super) own: String,
}

/// Appends a line; writing to a String cannot fail.
macro_rules! put {
    ($to:expr, $($text:tt)*) => { let _ = writeln!($to, $($text)*); };
}

/// What stands at module scope before the entry of a case, whatever the entry is.
///
/// # Errors
/// Where a variable cannot be had.
pub(super) fn globals(case: &Execution, scaffold: &Scaffold) -> Result<String, String> {
    let statements = statements(&scaffold.globals)?;
    if let Some(unified) = statements.iter().find(|statement| statement.unified()) {
        let name = unified.names.first().map_or("", |declared| declared.name);
        return Err(format!("`{name}` is unified: it cannot be declared in a single module"));
    }
    with_contents(&statements, case)
}

/// The entry of a case with what must stand before it, and how it is launched.
///
/// # Errors
/// Why the case cannot be executed.
pub(super) fn entry(
    case: &Execution,
    scaffold: &Scaffold,
    at: usize,
    names: &Names,
) -> Result<(String, Kernel), String> {
    let line = Line::parse(&case.line).map_err(|error| format!("the line cannot be read: {error}"))?;
    let module = statements(&scaffold.globals)?;
    let header = parameters(&scaffold.parameters)?;
    let body = statements(&scaffold.locals)?;
    let records = records(case)?;
    let mut thread = Thread {
        case,
        context: scaffold.context,
        own: &names.own,
        at,
        name: format!("{}{at}", names.entry),
        scopes: [(Scope::Module, &module), (Scope::Header, &header), (Scope::Body, &body)],
        mirrors: String::new(),
        before: String::new(),
        text: String::new(),
    };
    thread.check(&line)?;
    let surface = thread.surface(&line, records.handle_at)?;
    let filled = thread.filled()?;
    let observed: Vec<&Filled<'_>> = filled.iter().filter(|filled| filled.observed).collect();
    let results = results(case, &observed.iter().map(|filled| filled.name).collect::<Vec<_>>())?;
    let single = observed.iter().any(|filled| filled.how != How::Local);
    thread.write(&filled, &body, &records, &results)?;
    let ours = [Parameter::Rows, Parameter::Results, Parameter::Marks, Parameter::First, Parameter::Count];
    let theirs = filled.iter().filter(|filled| filled.how == How::EntryParameter);
    let kernel = Kernel {
        entry: thread.name,
        parameters: theirs.map(|filled| Parameter::Bytes(filled.bytes.to_vec())).chain(ours).collect(),
        row_bytes: records.row_bytes,
        rows: records.rows,
        result_bytes: results.size,
        results: results.outputs,
        variables: results.variables,
        single,
        surface,
    };
    Ok((thread.mirrors + &thread.before + &thread.text, kernel))
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Module,
    Header,
    Body,
}

/// How a variable gets its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
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
    /// From a copy that the only thread of a launch makes, which may write it.
    Global,
}

/// A variable that gets its contents while the entry runs.
struct Filled<'a> {
    statement: &'a Statement<'a>,
    name: &'a str,
    bytes: Cow<'a, [u8]>,
    how: How,
    /// Whether it is read back after the line.
    observed: bool,
    /// The global variable that has the contents.
    mirror: String,
}

struct Thread<'a> {
    case: &'a Execution,
    context: Context,
    own: &'a str,
    at: usize,
    name: String,
    scopes: [(Scope, &'a [Statement<'a>]); 3],
    /// Variables with the contents of others.
    mirrors: String,
    /// Functions.
    before: String,
    /// The entry.
    text: String,
}

impl<'a> Thread<'a> {
    /// The statement that declares a variable; the innermost counts.
    fn declaration(&self, name: &str) -> Option<(Scope, &'a Statement<'a>)> {
        let mut all = self.scopes.iter().flat_map(|(scope, statements)| statements.iter().map(|one| (*scope, one)));
        all.rfind(|(_, statement)| statement.find(name).is_some())
    }

    /// Whether everything that the case names is declared, and can be had.
    fn check(&self, line: &Line<'_>) -> Result<(), String> {
        let [_, (_, header), (_, body)] = self.scopes;
        let mut named = Vec::new();
        line.operands.iter().for_each(|operand| collect(&operand.argument, &mut named));
        if let Some((name, _)) = named.iter().find(|(name, negative)| *negative && self.declaration(name).is_some()) {
            return Err(format!("the address is before `{name}`"));
        }
        let inputs = self.case.inputs.iter().map(|input| &input.register);
        for register in inputs.chain(self.case.outputs.iter().map(|output| &output.register)) {
            if !body.iter().any(|statement| statement.has_register(register)) {
                return Err(format!("`{register}` is not a declared register"));
            }
        }
        for variable in &self.case.variables {
            let (_, statement) = self
                .declaration(&variable.name)
                .ok_or_else(|| format!("`{}` is not a declared variable", variable.name))?;
            check(statement, variable)?;
        }
        for parameter in header {
            let name = parameter.names.first().map_or("", |declared| declared.name);
            if parameter.opaque() {
                return Err(format!("the parameter `{name}` is a `{}`, which no driver can bind", parameter.of_type()));
            }
            if parameter.space() != ".param" {
                return Err(format!("the parameter `{name}` is not a `.param`"));
            }
        }
        Ok(())
    }

    /// How the line gets at the surface.
    fn surface(&self, line: &Line<'_>, handle_at: Option<usize>) -> Result<Option<Bound>, String> {
        let mut named = Vec::new();
        line.operands.iter().for_each(|operand| collect(&operand.argument, &mut named));
        let surfref = |(name, _): &(&str, bool)| {
            self.declaration(name).is_some_and(|(scope, of)| scope == Scope::Module && of.of_type() == ".surfref")
        };
        let variable = named.into_iter().find(surfref).map(|(name, _)| name.to_owned());
        if handle_at.is_none() && variable.is_none() {
            return Ok(None);
        }
        if self.case.surface.is_none() {
            return Err("the line names a surface, but the case has none".to_owned());
        }
        Ok(Some(Bound { private: self.case.may_write(SURFACE), handle_at, variable }))
    }

    /// Whether a variable has contents that the line may write.
    ///
    /// # Errors
    /// Where it is written and cannot be read back.
    fn written(&self, space: &str, name: &str) -> Result<bool, String> {
        if self.case.variable(name).is_none() || !self.case.may_write(name) {
            return Ok(false);
        }
        match space {
            ".global" | ".shared" | ".local" => Ok(true),
            // Nothing says what is written: what cannot be written is not.
            _ if self.case.writes.is_none() => Ok(false),
            _ => Err(format!("`{name}` in {space} cannot be read back")),
        }
    }

    /// The variables that have no initial values, or get them again.
    fn filled(&self) -> Result<Vec<Filled<'a>>, String> {
        let mut filled = Vec::new();
        for (scope, statements) in self.scopes {
            for (statement, declared) in statements.iter().flat_map(|one| one.names.iter().map(move |name| (one, name)))
            {
                let written = self.written(statement.space(), declared.name)?;
                let how = match (statement.space(), scope, self.context) {
                    (".param", Scope::Header, Context::Entry) => How::EntryParameter,
                    (".param", Scope::Header, Context::Function) => How::FunctionParameter,
                    (".param", ..) => How::Returned,
                    (".shared", Scope::Body, Context::Function) if self.case.variable(declared.name).is_some() => {
                        return Err(format!("`{}` is shared memory of a function, not of the entry", declared.name));
                    }
                    (".shared", ..) => How::Shared,
                    (".local", ..) => How::Local,
                    _ if written => How::Global,
                    _ => continue,
                };
                let bytes = match self.case.variable(declared.name) {
                    Some(variable) => Cow::Borrowed(variable.data.as_slice()),
                    // Every parameter is passed.
                    None if scope == Scope::Header => Cow::Owned(vec![0; statement.size(declared)?]),
                    None => continue,
                };
                let mirror = format!("{}{}_{}", self.own, self.at, filled.len());
                filled.push(Filled { statement, name: declared.name, bytes, how, observed: written, mirror });
            }
        }
        Ok(filled)
    }

    fn write(
        &mut self,
        filled: &[Filled<'_>],
        body: &[Statement<'_>],
        records: &Records,
        results: &Results,
    ) -> Result<(), String> {
        let own = self.own;
        let declarations = with_contents(body, self.case)?;
        for filled in filled.iter().filter(|filled| filled.how != How::EntryParameter) {
            let (mirror, size) = (&filled.mirror, filled.bytes.len());
            // What is visible may be changed from outside: nothing is computed from it in advance.
            put!(self.mirrors, ".visible .global .align 32 .b8 {mirror}[{size}] = {};", initial(&filled.bytes));
            if matches!(filled.how, How::Shared | How::Local | How::Global) {
                put!(self.mirrors, ".visible .global .u32 {mirror}_size = {size};");
            }
        }
        for filled in filled.iter().filter(|filled| filled.how == How::Returned) {
            let (mirror, result) = (&filled.mirror, format!("{own}returned"));
            put!(self.before, ".func ({}) {mirror}_give()", filled.statement.bytes(&result, filled.bytes.len()));
            self.before.push_str("{\n");
            registers(own, &mut self.before);
            pass(filled, &result, own, &mut self.before);
            self.before.push_str("ret;\n}\n");
        }
        match self.context {
            Context::Entry => {
                self.header(filled);
                self.text.push_str(&declarations);
                self.address(filled, records.row_bytes, results.size);
                let mut text = std::mem::take(&mut self.text);
                self.execute(filled, records, results, &mut text)?;
                self.text = text;
            }
            Context::Function => {
                let function = self.function(filled, declarations, records, results)?;
                self.before.push_str(&function);
                self.header(filled);
                self.address(filled, records.row_bytes, results.size);
                self.call(filled);
            }
        }
        self.text.push_str("ret;\n}\n");
        Ok(())
    }

    fn header(&mut self, filled: &[Filled<'_>]) {
        let own = self.own;
        let theirs = filled.iter().filter(|filled| filled.how == How::EntryParameter);
        let theirs: String = theirs.map(|of| of.statement.bytes(of.name, of.bytes.len()) + ", ").collect();
        put!(
            self.text,
            ".visible .entry {}({theirs}.param .u64 {own}rows, .param .u64 {own}results, .param .u64 {own}marks, \
            .param .u32 {own}first, .param .u32 {own}count)",
            self.name
        );
        self.text.push_str("{\n");
    }

    /// From the number of the thread to the addresses of its record, its results and its mark;
    /// shared memory is filled before any thread leaves.
    fn address(&mut self, filled: &[Filled<'_>], row_bytes: usize, result_bytes: usize) {
        let (own, text) = (self.own, &mut self.text);
        registers(own, text);
        let mut shared = filled.iter().filter(|filled| filled.how == How::Shared).peekable();
        let wait = shared.peek().is_some();
        shared.for_each(|filled| copy(filled, own, text));
        if wait {
            put!(text, "bar.sync 0;");
        }
        put!(text, "mov.u32 %{own}a, %ctaid.x;\nmov.u32 %{own}b, %ntid.x;\nmov.u32 %{own}c, %tid.x;");
        put!(text, "mad.lo.u32 %{own}a, %{own}a, %{own}b, %{own}c;");
        put!(text, "ld.param.u32 %{own}b, [{own}count];");
        put!(text, "setp.ge.u32 %{own}p, %{own}a, %{own}b;\n@%{own}p ret;");
        put!(text, "ld.param.u32 %{own}b, [{own}first];\nadd.u32 %{own}a, %{own}a, %{own}b;");
        for (to, of, size) in [("row", "rows", row_bytes), ("result", "results", result_bytes), ("mark", "marks", 4)] {
            put!(text, "ld.param.u64 %{own}x, [{own}{of}];\ncvta.to.global.u64 %{own}x, %{own}x;");
            put!(text, "mul.wide.u32 %{own}y, %{own}a, {size};\nadd.u64 %{own}{to}, %{own}x, %{own}y;");
        }
    }

    /// From the row's record to its results.
    fn execute(
        &self,
        filled: &[Filled<'_>],
        records: &Records,
        results: &Results,
        text: &mut String,
    ) -> Result<(), String> {
        let own = self.own;
        filled
            .iter()
            .filter(|filled| matches!(filled.how, How::Local | How::Global))
            .for_each(|filled| copy(filled, own, text));
        for output in &self.case.outputs {
            load(&output.register, output.bits, &format!("{own}zero"), own, text);
        }
        for (input, place) in self.case.inputs.iter().zip(&records.places) {
            self.input(input, place.as_ref(), text)?;
        }
        put!(text, "st.volatile.global.u32 [%{own}mark], 1;\nmembar.sys;");
        for filled in filled.iter().filter(|filled| filled.how == How::Returned) {
            put!(text, "call ({}), {}_give, ();", filled.name, filled.mirror);
        }
        put!(text, "{}", self.case.line);
        for (output, place) in self.case.outputs.iter().zip(&results.outputs) {
            let (register, at) = (&output.register, place.at);
            if output.bits == 1 {
                put!(text, "selp.u32 %{own}a, 1, 0, {register};");
                put!(text, "st.global.u8 [%{own}result+{at}], %{own}a;");
            } else {
                put!(text, "st.global.b{} [%{own}result+{at}], {register};", output.bits);
            }
        }
        for (filled, observed) in filled.iter().filter(|filled| filled.observed).zip(&results.variables) {
            observe(filled, observed.at, own, text);
        }
        put!(text, "membar.sys;\nst.volatile.global.u32 [%{own}mark], 2;");
        Ok(())
    }

    /// Gives a register what it holds.
    fn input(&self, input: &Input, place: Option<&Place>, text: &mut String) -> Result<(), String> {
        let (own, register) = (self.own, &input.register);
        let Some(place) = place else {
            put!(text, "createpolicy.fractional.L2::evict_first.b64 {register}, 1.0;");
            return Ok(());
        };
        let from = format!("%{own}row+{}", place.at);
        let Holds::Address { of, generic } = &input.holds else {
            load(register, input.bits, &from, own, text);
            return Ok(());
        };
        let no_variable = || format!("`{register}` holds the address of `{of}`, which is not a declared variable");
        let (scope, statement) = self.declaration(of).ok_or_else(no_variable)?;
        if statement.opaque() {
            return Err(no_variable());
        }
        if statement.space() == ".param" && (scope, self.context) != (Scope::Header, Context::Entry) {
            return Err(format!("`{of}` has no address in `.param`: it is not a parameter of an entry"));
        }
        if input.bits == 32 && (*generic || statement.space() == ".global") {
            return Err(format!("`{register}` has 32 bits, but an address of `{of}` has 64"));
        }
        put!(text, "mov.u64 %{own}x, {of};");
        if *generic {
            put!(text, "cvta{}.u64 %{own}x, %{own}x;", statement.space());
        }
        put!(text, "ld.global.u64 %{own}y, [{from}];");
        if input.bits == 32 {
            put!(text, "add.u64 %{own}x, %{own}x, %{own}y;\ncvt.u32.u64 {register}, %{own}x;");
        } else {
            put!(text, "add.u64 {register}, %{own}x, %{own}y;");
        }
        Ok(())
    }

    /// The function in which the line stands: it is given the addresses behind its own parameters.
    fn function(
        &self,
        filled: &[Filled<'_>],
        declarations: String,
        records: &Records,
        results: &Results,
    ) -> Result<String, String> {
        let own = self.own;
        let theirs = filled.iter().filter(|filled| filled.how == How::FunctionParameter);
        let theirs: String = theirs.map(|of| of.statement.bytes(of.name, of.bytes.len()) + ", ").collect();
        let ours = ["row", "result", "mark"];
        let parameters = ours.map(|name| format!(".param .b64 {own}{name}")).join(", ");
        let mut text = format!(".func {own}{}({theirs}{parameters})\n{{\n{declarations}", self.at);
        registers(own, &mut text);
        for name in ours {
            put!(text, "ld.param.b64 %{own}{name}, [{own}{name}];");
        }
        self.execute(filled, records, results, &mut text)?;
        text.push_str("ret;\n}\n");
        Ok(text)
    }

    /// The call of that function.
    fn call(&mut self, filled: &[Filled<'_>]) {
        let (own, text) = (self.own, &mut self.text);
        let mut arguments = Vec::new();
        for filled in filled.iter().filter(|filled| filled.how == How::FunctionParameter) {
            let argument = format!("{}_argument", filled.mirror);
            put!(text, "{};", filled.statement.bytes(&argument, filled.bytes.len()));
            pass(filled, &argument, own, text);
            arguments.push(argument);
        }
        for name in ["row", "result", "mark"] {
            let argument = format!("{own}{name}");
            put!(text, ".param .b64 {argument};\nst.param.b64 [{argument}], %{argument};");
            arguments.push(argument);
        }
        put!(text, "call {own}{}, ({});", self.at, arguments.join(", "));
    }
}

/// The names in an operand, and whether a negative number is added.
fn collect<'a>(argument: &Argument<'a>, to: &mut Vec<(&'a str, bool)>) {
    match argument {
        Argument::Name(name) => to.push((name, false)),
        Argument::Sum(name, offset) => to.push((name, offset.signed() < 0)),
        Argument::Element(name, register, _) => {
            to.push((name, false));
            to.extend(register.map(|register| (register, false)));
        }
        Argument::Tuple(elements) | Argument::Bracket(elements) => {
            elements.iter().for_each(|element| collect(element, to));
        }
        _ => {}
    }
}

/// Our own registers.
fn registers(own: &str, text: &mut String) {
    put!(text, ".reg .b16 %{own}h;\n.reg .b32 %{own}a, %{own}b, %{own}c;\n.reg .pred %{own}p;");
    put!(text, ".reg .b64 %{own}x, %{own}y, %{own}row, %{own}result, %{own}mark;");
}

/// Loads a register from global memory. A component of a vector register is not loaded directly: from
/// that `ptxas` makes a load with an undefined memory descriptor, for sm_80 and later in all versions
/// tried.
fn load(register: &str, bits: u16, from: &str, own: &str, text: &mut String) {
    let between = match bits {
        16 => "h",
        32 => "a",
        _ => "x",
    };
    if bits == 1 {
        put!(text, "ld.global.u8 %{own}a, [{from}];\nsetp.ne.u32 {register}, %{own}a, 0;");
    } else if register.contains('.') && matches!(bits, 16 | 32 | 64) {
        put!(text, "ld.global.b{bits} %{own}{between}, [{from}];\nmov.b{bits} {register}, %{own}{between};");
    } else {
        put!(text, "ld.global.b{bits} {register}, [{from}];");
    }
}

/// Copies the contents of a variable byte by byte. How many there are is read from memory, so that
/// the variable is not taken apart into registers.
fn copy(filled: &Filled<'_>, own: &str, text: &mut String) {
    let Filled { statement, name, mirror, .. } = filled;
    put!(text, "ld.global.u32 %{own}a, [{mirror}_size];");
    put!(text, "mov.u64 %{own}x, {mirror};\nmov.u64 %{own}y, {name};");
    put!(text, "{mirror}_next:");
    put!(text, "ld.global.u8 %{own}b, [%{own}x];\nst{}.u8 [%{own}y], %{own}b;", statement.space());
    put!(text, "add.u64 %{own}x, %{own}x, 1;\nadd.u64 %{own}y, %{own}y, 1;\nsub.u32 %{own}a, %{own}a, 1;");
    put!(text, "setp.ne.u32 %{own}p, %{own}a, 0;\n@%{own}p bra {mirror}_next;");
}

/// Copies a variable to the results byte by byte, as [`copy`] does.
fn observe(filled: &Filled<'_>, at: usize, own: &str, text: &mut String) {
    let Filled { statement, name, mirror, .. } = filled;
    put!(text, "ld.global.u32 %{own}a, [{mirror}_size];");
    put!(text, "add.u64 %{own}x, %{own}result, {at};\nmov.u64 %{own}y, {name};");
    put!(text, "{mirror}_back:");
    put!(text, "ld{}.u8 %{own}b, [%{own}y];\nst.global.u8 [%{own}x], %{own}b;", statement.space());
    put!(text, "add.u64 %{own}x, %{own}x, 1;\nadd.u64 %{own}y, %{own}y, 1;\nsub.u32 %{own}a, %{own}a, 1;");
    put!(text, "setp.ne.u32 %{own}p, %{own}a, 0;\n@%{own}p bra {mirror}_back;");
}

/// Stores the contents of a variable to a parameter.
fn pass(filled: &Filled<'_>, to: &str, own: &str, text: &mut String) {
    let (mirror, size) = (&filled.mirror, filled.bytes.len());
    let whole = size / 8 * 8;
    for at in (0..whole).step_by(8) {
        put!(text, "ld.global.u64 %{own}x, [{mirror}+{at}];\nst.param.b64 [{to}+{at}], %{own}x;");
    }
    for at in whole..size {
        put!(text, "ld.global.u8 %{own}a, [{mirror}+{at}];\nst.param.b8 [{to}+{at}], %{own}a;");
    }
}
