//! The text of an entry: what a thread does for its row.

use super::declared::{DeclaredNames, initial, parameters, statements, with_contents};
use super::filled::{Filled, Filling, copy, filled, observe, pass};
use super::launch::{Kernel, Parameter, Place};
use super::put::put;
use super::record::{Records, ResultLayout, records, results};
use super::scopes::{Scopes, StatementScope};
use crate::line_case::{Holds, Input, LineCase};
use ptx_spec::ptx::{Context, Line, Scaffold};

/// The prefix of generated names, which occurs in no case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OwnNames {
    /// Entries: `k`.
    pub(super) entry: String,
    /// All others.
    pub(super) own: String,
}

/// The work of the threads of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Content {
    /// Each finds its row by its number, and marks how far it came.
    #[default]
    Rows,
    /// One executes the first row: what is before the line, the line, and what is after it are apart.
    Fenced,
    /// One executes the first row, and does nothing else: the assembler can mix the line with the rest.
    Bare,
}

impl Content {
    /// The parameters of an entry that are not the case's, with their types and names.
    fn parameters(self) -> Vec<(Parameter, &'static str, &'static str)> {
        let mut all = vec![(Parameter::Rows, ".u64", "rows"), (Parameter::Results, ".u64", "results")];
        if self == Self::Rows {
            all.push((Parameter::Marks, ".u64", "marks"));
            all.extend([(Parameter::First, ".u32", "first"), (Parameter::Count, ".u32", "count")]);
        }
        all
    }

    /// The registers with the addresses of a row.
    fn addresses(self) -> &'static [&'static str] {
        if self == Self::Rows { &["row", "result", "mark"] } else { &["row", "result"] }
    }
}

/// The text at module scope before the entry of a case.
///
/// # Errors
/// If a variable cannot be set up.
pub(super) fn globals(case: &LineCase, scaffold: &Scaffold) -> Result<String, String> {
    let statements = statements(&scaffold.globals)?;
    if let Some(unified) = statements.iter().find(|statement| statement.unified()) {
        let name = unified.names.first().map_or("", |declared| declared.name);
        return Err(format!("`{name}` is unified: it cannot be declared in a single module"));
    }
    with_contents(&statements, case)
}

/// The entry of a case with the text that must precede it, and how to launch it.
///
/// # Errors
/// Why the case cannot be executed.
pub(super) fn entry(
    case: &LineCase,
    scaffold: &Scaffold,
    at: usize,
    names: &OwnNames,
    content: Content,
) -> Result<(String, Kernel), String> {
    let line = Line::parse(&case.line).map_err(|error| format!("the line cannot be read: {error}"))?;
    let module = statements(&scaffold.globals)?;
    let header = parameters(&scaffold.parameters)?;
    let body = statements(&scaffold.locals)?;
    let records = records(case)?;
    let declared =
        [(StatementScope::Module, &*module), (StatementScope::Header, &*header), (StatementScope::Body, &*body)];
    let mut thread = ThreadWriter {
        scopes: Scopes { case, context: scaffold.context, declared },
        own: &names.own,
        content,
        at,
        name: format!("{}{at}", names.entry),
        mirrors: String::new(),
        before: String::new(),
        text: String::new(),
    };
    thread.scopes.check(&line)?;
    let surface = thread.scopes.surface(&line, records.handle_at)?;
    let filled = filled(&thread.scopes, &format!("{}{at}", names.own))?;
    let observed: Vec<&Filled<'_>> = filled.iter().filter(|filled| filled.observed).collect();
    let results = results(case, &observed.iter().map(|filled| filled.name).collect::<Vec<_>>())?;
    let single = observed.iter().any(|filled| filled.how != Filling::Local);
    thread.write(&filled, &body, &records, &results)?;
    let ours = content.parameters().into_iter().map(|(parameter, ..)| parameter);
    let theirs = filled.iter().filter(|filled| filled.how == Filling::EntryParameter);
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

/// Writes the text of an entry.
struct ThreadWriter<'a> {
    scopes: Scopes<'a>,
    own: &'a str,
    content: Content,
    at: usize,
    name: String,
    /// Global variables with the contents of others.
    mirrors: String,
    /// Functions.
    before: String,
    /// The entry.
    text: String,
}

impl ThreadWriter<'_> {
    fn write(
        &mut self,
        filled: &[Filled<'_>],
        body: &[DeclaredNames<'_>],
        records: &Records,
        results: &ResultLayout,
    ) -> Result<(), String> {
        let own = self.own;
        let declarations = with_contents(body, self.scopes.case)?;
        for filled in filled.iter().filter(|filled| filled.how != Filling::EntryParameter) {
            let (mirror, size) = (&filled.mirror, filled.bytes.len());
            if self.has_mirror(filled.how) {
                // A visible variable may be changed from outside, so nothing is computed from it at compile
                // time.
                put!(self.mirrors, ".visible .global .align 32 .b8 {mirror}[{size}] = {};", initial(&filled.bytes));
            }
            if matches!(filled.how, Filling::Shared | Filling::Local | Filling::Global) {
                put!(self.mirrors, ".visible .global .u32 {mirror}_words = {};", filled.words());
            }
        }
        for filled in filled.iter().filter(|filled| filled.how == Filling::Returned) {
            let (mirror, result) = (&filled.mirror, format!("{own}returned"));
            put!(self.before, ".func ({}) {mirror}_give()", filled.statement.bytes(&result, filled.bytes.len()));
            let mut body = String::new();
            pass(filled, &result, own, &mut body);
            put!(self.before, "{{\n{}{body}ret;\n}}", self.registers(&body));
        }
        match self.scopes.context {
            Context::Entry | Context::Module | Context::Header => {
                self.header(filled);
                self.text.push_str(&declarations);
                let mut body = String::new();
                self.address(filled, records, results, &mut body);
                self.execute(filled, records, results, &mut body)?;
                self.text.push_str(&(self.registers(&body) + &body));
            }
            Context::Function => {
                let function = self.function(filled, declarations, records, results)?;
                self.before.push_str(&function);
                self.header(filled);
                let mut body = String::new();
                self.address(filled, records, results, &mut body);
                self.call(filled, &mut body);
                self.text.push_str(&(self.registers(&body) + &body));
            }
        }
        self.text.push_str("ret;\n}\n");
        Ok(())
    }

    /// True if a variable's contents come from another: the first row finds those of global memory as they were.
    fn has_mirror(&self, how: Filling) -> bool {
        how != Filling::Global || self.content == Content::Rows
    }

    fn header(&mut self, filled: &[Filled<'_>]) {
        let own = self.own;
        let theirs = filled.iter().filter(|filled| filled.how == Filling::EntryParameter);
        let theirs = theirs.map(|of| of.statement.bytes(of.name, of.bytes.len()));
        let ours = self.content.parameters().into_iter().map(|(_, kind, name)| format!(".param {kind} {own}{name}"));
        let parameters: Vec<String> = theirs.chain(ours).collect();
        put!(self.text, ".visible .entry {}({})\n{{", self.name, parameters.join(", "));
    }

    /// From the number of the thread to the addresses of its record, its results and its mark;
    /// shared memory is filled before any thread leaves.
    fn address(&self, filled: &[Filled<'_>], records: &Records, results: &ResultLayout, text: &mut String) {
        let own = self.own;
        let mut shared = filled.iter().filter(|filled| filled.how == Filling::Shared).peekable();
        let wait = shared.peek().is_some();
        shared.for_each(|filled| copy(filled, own, text));
        if wait {
            put!(text, "bar.sync 0;");
        }
        if self.content != Content::Rows {
            if records.places.iter().any(Option::is_some) {
                put!(text, "ld.param.u64 %{own}row, [{own}rows];");
            }
            if !(results.outputs.is_empty() && results.variables.is_empty()) {
                put!(text, "ld.param.u64 %{own}result, [{own}results];");
            }
            return;
        }
        put!(text, "mov.u32 %{own}a, %ctaid.x;\nmov.u32 %{own}b, %ntid.x;\nmov.u32 %{own}c, %tid.x;");
        put!(text, "mad.lo.u32 %{own}a, %{own}a, %{own}b, %{own}c;");
        put!(text, "ld.param.u32 %{own}b, [{own}count];");
        put!(text, "setp.ge.u32 %{own}p, %{own}a, %{own}b;\n@%{own}p ret;");
        put!(text, "ld.param.u32 %{own}b, [{own}first];\nadd.u32 %{own}a, %{own}a, %{own}b;");
        for (to, of, size) in
            [("row", "rows", records.row_bytes), ("result", "results", results.size), ("mark", "marks", 4)]
        {
            put!(text, "ld.param.u64 %{own}x, [{own}{of}];\ncvta.to.global.u64 %{own}x, %{own}x;");
            put!(text, "mul.wide.u32 %{own}y, %{own}a, {size};\nadd.u64 %{own}{to}, %{own}x, %{own}y;");
        }
    }

    /// From the row's record to its results.
    fn execute(
        &self,
        filled: &[Filled<'_>],
        records: &Records,
        results: &ResultLayout,
        text: &mut String,
    ) -> Result<(), String> {
        let own = self.own;
        let copied = |how: Filling| matches!(how, Filling::Local | Filling::Global) && self.has_mirror(how);
        filled.iter().filter(|filled| copied(filled.how)).for_each(|filled| copy(filled, own, text));
        for output in self.scopes.case.outputs.iter().filter(|_| self.content != Content::Bare) {
            load(&output.register, output.bits, &format!("{own}zero"), own, text);
        }
        for (input, place) in self.scopes.case.inputs.iter().zip(&records.places) {
            self.input(input, place.as_ref(), text)?;
        }
        match self.content {
            Content::Rows => put!(text, "st.volatile.global.u32 [%{own}mark], 1;\nmembar.sys;"),
            Content::Fenced => put!(text, "membar.gl;"),
            Content::Bare => {}
        }
        for filled in filled.iter().filter(|filled| filled.how == Filling::Returned) {
            put!(text, "call ({}), {}_give, ();", filled.name, filled.mirror);
        }
        put!(text, "{}", self.scopes.case.line);
        if self.content == Content::Fenced {
            put!(text, "membar.gl;");
        }
        for (output, place) in self.scopes.case.outputs.iter().zip(&results.outputs) {
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
        if self.content == Content::Rows {
            put!(text, "membar.sys;\nst.volatile.global.u32 [%{own}mark], 2;");
        }
        Ok(())
    }

    /// Loads the value of a register.
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
        let (scope, statement) = self.scopes.declaration(of).ok_or_else(no_variable)?;
        if statement.opaque() {
            return Err(no_variable());
        }
        if statement.space() == ".param" && (scope, self.scopes.context) != (StatementScope::Header, Context::Entry) {
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

    /// The function that contains the line. It gets the addresses after its own parameters.
    fn function(
        &self,
        filled: &[Filled<'_>],
        declarations: String,
        records: &Records,
        results: &ResultLayout,
    ) -> Result<String, String> {
        let own = self.own;
        let theirs = filled.iter().filter(|filled| filled.how == Filling::FunctionParameter);
        let theirs: String = theirs.map(|of| of.statement.bytes(of.name, of.bytes.len()) + ", ").collect();
        let ours = self.content.addresses();
        let parameters = ours.iter().map(|name| format!(".param .b64 {own}{name}")).collect::<Vec<_>>().join(", ");
        let mut body = String::new();
        for name in ours {
            put!(body, "ld.param.b64 %{own}{name}, [{own}{name}];");
        }
        self.execute(filled, records, results, &mut body)?;
        let (at, registers) = (self.at, self.registers(&body));
        Ok(format!(".func {own}{at}({theirs}{parameters})\n{{\n{declarations}{registers}{body}ret;\n}}\n"))
    }

    /// The call of that function.
    fn call(&self, filled: &[Filled<'_>], text: &mut String) {
        let own = self.own;
        let mut arguments = Vec::new();
        for filled in filled.iter().filter(|filled| filled.how == Filling::FunctionParameter) {
            let argument = format!("{}_argument", filled.mirror);
            put!(text, "{};", filled.statement.bytes(&argument, filled.bytes.len()));
            pass(filled, &argument, own, text);
            arguments.push(argument);
        }
        for name in self.content.addresses() {
            let argument = format!("{own}{name}");
            put!(text, ".param .b64 {argument};\nst.param.b64 [{argument}], %{argument};");
            arguments.push(argument);
        }
        put!(text, "call {own}{}, ({});", self.at, arguments.join(", "));
    }

    /// The generated registers of a body; of one row, those that it uses.
    fn registers(&self, body: &str) -> String {
        let own = self.own;
        let all: [(&str, &[&str]); 4] = [
            (".b16", &["h"]),
            (".b32", &["a", "b", "c"]),
            (".pred", &["p"]),
            (".b64", &["w", "x", "y", "row", "result", "mark"]),
        ];
        let mut text = String::new();
        for (kind, names) in all {
            let names = names.iter().map(|name| format!("%{own}{name}"));
            let used = |name: &String| self.content == Content::Rows || body.contains(name);
            let names: Vec<String> = names.filter(used).collect();
            if !names.is_empty() {
                put!(text, ".reg {kind} {};", names.join(", "));
            }
        }
        text
    }
}

/// Loads a register from global memory. A component of a vector register is not loaded directly: for sm_80
/// and later, all `ptxas` versions tried then generate a load with an undefined memory descriptor.
fn load(register: &str, bits: u16, from: &str, own: &str, text: &mut String) {
    let between = match bits {
        8 | 16 => "h",
        32 => "a",
        _ => "x",
    };
    if bits == 1 {
        put!(text, "ld.global.u8 %{own}a, [{from}];\nsetp.ne.u32 {register}, %{own}a, 0;");
    } else if register.contains('.') && matches!(bits, 8 | 16 | 32 | 64) {
        // There is no mov of 8 bits.
        let copy = if bits == 8 { "cvt.u8.u16".to_owned() } else { format!("mov.b{bits}") };
        put!(text, "ld.global.b{bits} %{own}{between}, [{from}];\n{copy} {register}, %{own}{between};");
    } else {
        put!(text, "ld.global.b{bits} {register}, [{from}];");
    }
}
