//! The text of an entry: what a thread does for its row.

use super::declared::{DeclaredNames, initial, parameters, statements, with_contents};
use super::filled::{Filled, Filling, copy, filled, observe, pass};
use super::launch::{Kernel, Parameter, Place};
use super::put::put;
use super::record::{Records, ResultLayout, records, results};
use super::scopes::{Scopes, StatementScope};
use crate::program::{Holds, Input, Program};
use ptx_spec::ptx::{Context, Line, Scaffold};

/// The prefix of generated names, which occurs in no case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OwnNames {
    /// Entries: `k`.
    pub(super) entry: String,
    /// All others.
    pub(super) own: String,
}

/// The text at module scope before the entry of a case.
///
/// # Errors
/// If a variable cannot be set up.
pub(super) fn globals(case: &Program, scaffold: &Scaffold) -> Result<String, String> {
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
    case: &Program,
    scaffold: &Scaffold,
    at: usize,
    names: &OwnNames,
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
    let ours = [Parameter::Rows, Parameter::Results, Parameter::Marks, Parameter::First, Parameter::Count];
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
            // A visible variable may be changed from outside, so nothing is computed from it at compile
            // time.
            put!(self.mirrors, ".visible .global .align 32 .b8 {mirror}[{size}] = {};", initial(&filled.bytes));
            if matches!(filled.how, Filling::Shared | Filling::Local | Filling::Global) {
                put!(self.mirrors, ".visible .global .u32 {mirror}_words = {};", filled.words());
            }
        }
        for filled in filled.iter().filter(|filled| filled.how == Filling::Returned) {
            let (mirror, result) = (&filled.mirror, format!("{own}returned"));
            put!(self.before, ".func ({}) {mirror}_give()", filled.statement.bytes(&result, filled.bytes.len()));
            self.before.push_str("{\n");
            registers(own, &mut self.before);
            pass(filled, &result, own, &mut self.before);
            self.before.push_str("ret;\n}\n");
        }
        match self.scopes.context {
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
        let theirs = filled.iter().filter(|filled| filled.how == Filling::EntryParameter);
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
        let mut shared = filled.iter().filter(|filled| filled.how == Filling::Shared).peekable();
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
        results: &ResultLayout,
        text: &mut String,
    ) -> Result<(), String> {
        let own = self.own;
        filled
            .iter()
            .filter(|filled| matches!(filled.how, Filling::Local | Filling::Global))
            .for_each(|filled| copy(filled, own, text));
        for output in &self.scopes.case.outputs {
            load(&output.register, output.bits, &format!("{own}zero"), own, text);
        }
        for (input, place) in self.scopes.case.inputs.iter().zip(&records.places) {
            self.input(input, place.as_ref(), text)?;
        }
        put!(text, "st.volatile.global.u32 [%{own}mark], 1;\nmembar.sys;");
        for filled in filled.iter().filter(|filled| filled.how == Filling::Returned) {
            put!(text, "call ({}), {}_give, ();", filled.name, filled.mirror);
        }
        put!(text, "{}", self.scopes.case.line);
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
        put!(text, "membar.sys;\nst.volatile.global.u32 [%{own}mark], 2;");
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
        for filled in filled.iter().filter(|filled| filled.how == Filling::FunctionParameter) {
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

/// The generated registers.
fn registers(own: &str, text: &mut String) {
    put!(text, ".reg .b16 %{own}h;\n.reg .b32 %{own}a, %{own}b, %{own}c;\n.reg .pred %{own}p;");
    put!(text, ".reg .b64 %{own}w, %{own}x, %{own}y, %{own}row, %{own}result, %{own}mark;");
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
