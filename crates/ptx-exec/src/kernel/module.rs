//! Modules: an entry for each case, and what the cases have in common.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::declared::statements;
use super::launch::Kernel;
use super::renamed::{NewNames, new_names, old_name, renamed};
use super::thread::{self, Content, OwnNames};
use crate::line_case::LineCase;
use ptx_spec::environment::{AddressSize, Target, Version};
use ptx_spec::ptx::{Lexer, Scaffold, Statement, Statements};

/// The most entries of a module.
const ENTRIES: usize = 128;

/// One module with an entry for each case: its text, and for each case its kernel, or why it cannot
/// be executed. The entries are `k0`, `k1` and so on, unless a case has such names itself. Variables of a case at module
/// scope keep their names, unless a case before it has other ones of these names.
///
/// The cases share their PTX version and target, as those of one of the [`batches`] do. A case that differs from those
/// before it in these has no entry.
///
/// A line names one surface at most, so an entry never has more than the 32 of them that `ptxas`
/// allows it.
pub fn module(cases: &[&LineCase]) -> (String, Vec<Result<Kernel, String>>) {
    write(cases, Content::Rows)
}

/// The same for whoever reads it: an entry executes only the first row, by one thread that sets no marks. Fences keep the
/// line apart from what is around it.
pub fn fenced_module(cases: &[&LineCase]) -> (String, Vec<Result<Kernel, String>>) {
    write(cases, Content::Fenced)
}

/// The same without fences, and without setting outputs to 0: the least text around the line.
pub fn bare_module(cases: &[&LineCase]) -> (String, Vec<Result<Kernel, String>>) {
    write(cases, Content::Bare)
}

fn write(cases: &[&LineCase], content: Content) -> (String, Vec<Result<Kernel, String>>) {
    let mut writer = ModuleWriter { names: names(cases), content, ..ModuleWriter::default() };
    let kernels = cases.iter().enumerate().map(|(at, case)| writer.entry(case, at)).collect();
    (writer.text, kernels)
}

/// Groups the positions of cases such that each group can share a module.
pub fn batches(cases: &[LineCase]) -> Vec<Vec<usize>> {
    let mut groups: FxHashMap<Option<Shared>, Vec<usize>> = FxHashMap::default();
    for (at, case) in cases.iter().enumerate() {
        // Cases without an entry can be in any group.
        groups.entry(shared(case).ok()).or_default().push(at);
    }
    let mut batches: Vec<Vec<usize>> = groups
        .into_values()
        .flat_map(|group| group.chunks(ENTRIES).map(<[usize]>::to_vec).collect::<Vec<_>>())
        .collect();
    batches.sort_unstable();
    batches
}

/// The text that the cases of a module have in common: PTX version, target, and the text at module scope if it has names that
/// cannot be changed.
type Shared = (Version, Target, Option<String>);

fn shared(case: &LineCase) -> Result<Shared, String> {
    if case.ptx < AddressSize::SINCE {
        return Err(format!("in PTX {}, addresses have 32 bits", case.ptx));
    }
    let scaffold = scaffold(case);
    let fixed = new_names(&statements(&scaffold.globals)?, "").is_none();
    let text = fixed.then(|| thread::globals(case, &scaffold)).transpose()?;
    Ok((case.ptx, case.target, text))
}

/// Writes a module.
#[derive(Default)]
struct ModuleWriter {
    names: OwnNames,
    content: Content,
    text: String,
    shared: Option<Shared>,
    /// The texts at module scope so far, before any name was changed, and the names that were changed.
    scopes: FxHashMap<String, NewNames>,
    taken: FxHashSet<String>,
}

impl ModuleWriter {
    fn entry(&mut self, case: &LineCase, at: usize) -> Result<Kernel, String> {
        let shared = shared(case)?;
        if self.shared.as_ref().is_some_and(|first| *first != shared) {
            return Err("its environment or module scope differs from that of the module".to_owned());
        }
        let plain = scaffold(case);
        let scope = thread::globals(case, &plain)?;
        let declared = statements(&plain.globals)?;
        let known = self.scopes.get(&scope).cloned();
        let names = || declared.iter().flat_map(|statement| &statement.names).map(|declared| declared.name);
        let changed = match &known {
            Some(changed) => changed.clone(),
            // Registers keep their names. Two of one name are an error of the module, whose cases are then compiled in
            // halves.
            None if names().any(|name| self.taken.contains(name)) => {
                new_names(&declared, &format!("{}{at}_", self.names.own)).unwrap_or_default()
            }
            None => NewNames::new(),
        };
        let case = if changed.is_empty() { Cow::Borrowed(case) } else { Cow::Owned(renamed(case, &changed)) };
        let scaffold = scaffold(&case);
        let (entry, mut kernel) = thread::entry(&case, &scaffold, at, &self.names, self.content)?;
        if self.shared.is_none() {
            self.text = start(&shared, &self.names, self.content);
            self.shared = Some(shared);
        }
        if known.is_none() {
            self.text.push_str(&thread::globals(&case, &scaffold)?);
            self.taken.extend(names().map(str::to_owned));
            self.scopes.insert(scope, changed.clone());
        }
        self.text.push_str(&entry);
        for observed in &mut kernel.variables {
            observed.name = old_name(&changed, &observed.name).to_owned();
        }
        Ok(kernel)
    }
}

/// The parts of a case's declarations. Global and constant variables go to module scope wherever they are
/// declared; without a header, everything is in the entry.
fn scaffold(case: &LineCase) -> Scaffold {
    let mut scaffold = Scaffold::from_declarations(&case.declarations);
    let locals = std::mem::take(&mut scaffold.locals);
    let mut statements = Statements::of_part(&locals);
    loop {
        let start = statements.at();
        let to = match statements.next_statement() {
            Ok(None) => return scaffold,
            Ok(Some(Statement::Declaration(declaration))) if matches!(declaration.space, ".global" | ".const") => {
                &mut scaffold.globals
            }
            Ok(Some(_)) => &mut scaffold.locals,
            Err(_) => {
                scaffold.locals.push_str(&locals[start..]);
                return scaffold;
            }
        };
        to.push_str(&locals[start..statements.end()]);
    }
}

/// The directives, and the zeros that outputs are initialized from.
fn start((ptx, target, _): &Shared, names: &OwnNames, content: Content) -> String {
    let size = AddressSize::Bits64;
    let own = &names.own;
    let zero = match content {
        // An assembler cannot know its value, because it is visible.
        Content::Rows | Content::Fenced => format!(".visible .global .align 16 .b8 {own}zero[16];\n"),
        Content::Bare => String::new(),
    };
    format!(".version {ptx}\n.target {target}\n.address_size {size}\n{zero}")
}

/// Names that occur in no case.
fn names(cases: &[&LineCase]) -> OwnNames {
    let texts = cases.iter().flat_map(|case| [&case.declarations, &case.line]);
    let words: FxHashSet<&str> = texts.flat_map(|text| Lexer::new(text)).map(|token| token.text).collect();
    let numbered = |name: &str| {
        let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        words.iter().any(|word| word.strip_prefix(name).is_some_and(digits))
    };
    let begun = |name: &str| words.iter().any(|word| word.trim_start_matches('%').starts_with(name));
    let (mut entry, mut own) = ("k".to_owned(), "conform_".to_owned());
    while numbered(&entry) {
        entry.push('k');
    }
    while begun(&own) {
        own.push('_');
    }
    OwnNames { entry, own }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::{Bound, Observed, Parameter, Place, changed, decode};
    use super::*;
    use crate::line_case::{Holds, Input, Output, Rows};
    use crate::object::{Space, Variable};

    fn input(register: &str, bits: u16, holds: Holds) -> Input {
        Input { register: register.to_owned(), bits, holds }
    }

    fn output(register: &str, bits: u16) -> Output {
        Output { register: register.to_owned(), bits }
    }

    fn variable(name: &str, space: Space) -> Variable {
        Variable { name: name.to_owned(), space, data: (1..=10).collect() }
    }

    fn address(of: &str, generic: bool) -> Holds {
        Holds::Address { of: of.to_owned(), generic }
    }

    /// A case with this many rows, whose values are their numbers.
    fn case(declarations: &str, line: &str, inputs: Vec<Input>, outputs: Vec<Output>, count: u128) -> LineCase {
        let mut rows = Rows::new(inputs.len());
        (0..count).for_each(|row| rows.push(&vec![row + 0x0102_0304; inputs.len()]));
        LineCase {
            ptx: "9.0".parse().expect("a version"),
            target: "sm_90".parse().expect("a target"),
            declarations: declarations.to_owned(),
            line: line.to_owned(),
            surface: None,
            variables: Vec::new(),
            inputs,
            outputs,
            writes: Some(Vec::new()),
            rows,
            own_launches: Vec::new(),
        }
    }

    fn kernel(case: &LineCase) -> (String, Kernel) {
        let (text, mut kernels) = module(&[case]);
        (text, kernels.remove(0).expect("a case that can be executed"))
    }

    fn refused(case: &LineCase) -> String {
        module(&[case]).1.remove(0).expect_err("a case that cannot be executed")
    }

    #[test]
    fn a_record_has_each_input_at_a_multiple_of_its_size() {
        let bits = [1, 64, 8, 16, 128, 32];
        let inputs = bits.iter().enumerate().map(|(at, &bits)| input(&format!("r{at}"), bits, Holds::Bits)).collect();
        let declarations = ".reg .pred r0; .reg .b64 r1; .reg .b8 r2; .reg .b16 r3; .reg .b128 r4; .reg .b32 r5;";
        let case = case(declarations, "nop;", inputs, vec![output("r5", 32), output("r0", 1), output("r4", 128)], 2);
        let (_, kernel) = kernel(&case);
        assert_eq!((kernel.row_bytes, kernel.result_bytes, kernel.rows.len()), (64, 32, 128));
        let mut row = [0; 64];
        row[8..12].copy_from_slice(&[4, 3, 2, 1]);
        row[16] = 4;
        row[18..20].copy_from_slice(&[4, 3]);
        row[32..36].copy_from_slice(&[4, 3, 2, 1]);
        row[48..52].copy_from_slice(&[4, 3, 2, 1]);
        assert_eq!(kernel.rows[..64], row);
        assert_eq!(kernel.rows[64], 1, "the predicate of the second row");
        let places = [(0, 4), (4, 1), (16, 16)].map(|(at, bytes)| Place { at, bytes });
        assert_eq!(kernel.results, places);

        let mut results = vec![0xff; 32];
        results.extend((0..32).map(|byte| if byte == 4 { 2 } else { byte }));
        let wide = 0x1f1e_1d1c_1b1a_1918_1716_1514_1312_1110;
        assert_eq!(decode(&kernel, &case, &results, 0), [0xffff_ffff, 1, u128::MAX]);
        assert_eq!(decode(&kernel, &case, &results, 1), [0x0302_0100, 0, wide]);
        for row in [2, usize::MAX] {
            assert_eq!(decode(&kernel, &case, &results, row), [0_u128; 0]);
        }
    }

    #[test]
    fn a_surface_is_bound_by_handle_or_by_name() {
        let surface = crate::object::Surface {
            geometry: crate::object::Geometry::D1,
            format: "u32".parse().expect("a format"),
            width: 1,
            height: 0,
            depth: 0,
            layers: 0,
            data: vec![0; 4],
        };
        let inputs = vec![input("%r1", 32, Holds::Bits), input("h", 64, Holds::Surface)];
        let mut by_handle = case(
            ".reg .b64 h; .reg .b32 %r<2>;",
            "suld.b.1d.b32.trap %r0, [h, {%r1}];",
            inputs,
            vec![output("%r0", 32)],
            1,
        );
        assert_eq!(refused(&by_handle), "the line names a surface, but the case has none");
        by_handle.surface = Some(surface.clone());
        assert_eq!(kernel(&by_handle).1.surface, Some(Bound { private: false, handle_at: Some(8), variable: None }));

        let declarations = ".global .surfref s, t; // two\n.visible .entry k() { .reg .b32 %r<2>;";
        let line = "sust.b.1d.b32.trap [t, {%r1}], %r1;";
        let mut by_name = case(declarations, line, vec![input("%r1", 32, Holds::Bits)], Vec::new(), 1);
        by_name.surface = Some(surface);
        by_name.writes = None;
        let bound = Bound { private: true, handle_at: None, variable: Some("t".to_owned()) };
        assert_eq!(kernel(&by_name).1.surface, Some(bound));
        by_name.declarations = ".entry k(.param .surfref t) { .reg .b32 %r<2>;".to_owned();
        assert_eq!(refused(&by_name), "the parameter `t` is a `.surfref`, which no driver can bind");
    }

    #[test]
    fn variables_get_their_contents() {
        let declarations = ".global .b32 g, other; .shared .b8 s[10]; .entry k(.param .u16 q, .param .b8 p[10]) { .local .b8 l[10]; \
            .param .b8 c[10]; .reg .b32 %r; .reg .b64 %a;";
        let inputs = vec![input("%a", 64, address("g", true))];
        let mut case = case(declarations, "ld.b32 %r, [%a];", inputs, vec![output("%r", 32)], 1);
        case.variables = vec![
            variable("g", Space::Global),
            variable("s", Space::Shared),
            variable("p", Space::Param),
            variable("l", Space::Local),
            variable("c", Space::Param),
        ];
        let (text, kernel) = kernel(&case);
        assert_eq!(kernel.parameters[..2], [Parameter::Bytes(vec![0, 0]), Parameter::Bytes((1..=10).collect())]);
        assert_eq!(kernel.parameters[2..].first(), Some(&Parameter::Rows));
        assert_eq!(text.matches(" other;").count(), 1, "a variable without contents stays as declared");
        for part in [
            ".global .b32 other;",
            ".visible .global .align 32 .b8 g[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};",
            "cvta.global.u64 ",
            "bar.sync 0;",
            "call (c), ",
            "st.local.u16 ",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        case.variables[0].space = Space::Const;
        assert_eq!(refused(&case), "`g` is declared in .global, but has contents in .const");
        case.variables[0].name = "none".to_owned();
        assert_eq!(refused(&case), "`none` is not a declared variable");
    }

    #[test]
    fn variables_that_a_line_may_write_are_read_back() {
        let declarations = ".global .align 8 .b8 g[10]; .shared .b8 s[10]; .entry k { .reg .b32 %r;";
        let mut case =
            case(declarations, "st.global.b32 [g+4], %r;", vec![input("%r", 32, Holds::Bits)], Vec::new(), 2);
        case.variables = vec![variable("g", Space::Global), variable("s", Space::Shared)];
        let (_, nothing) = kernel(&case);
        assert_eq!((nothing.variables.len(), nothing.single), (0, false));
        case.writes = Some(vec!["g".to_owned()]);
        let (text, kernel) = kernel(&case);
        assert!(kernel.single, "rows change what others see");
        assert_eq!(kernel.variables, [Observed { name: "g".to_owned(), at: 0, bytes: 10 }]);
        let (before, after) = text.split_once("st.global.b32 [g+4], %r;").expect("the line");
        assert!(
            before.contains("st.global.u16 [%conform_y]"),
            "its contents must be restored before the line:\n{text}"
        );
        assert!(after.contains("ld.global.u16 %conform_b, [%conform_x];"), "it must be read after the line:\n{text}");
        let mut results = vec![0xee; kernel.result_bytes];
        results.extend(1..=u8::try_from(kernel.result_bytes).expect("a byte"));
        assert_eq!(changed(&kernel, &case, &results, 0), [("g".to_owned(), vec![0xee; 10])].into());
        assert_eq!(changed(&kernel, &case, &results, 1), BTreeMap::new(), "its contents are 1 to 10");
        assert_eq!(changed(&kernel, &case, &results, 2), BTreeMap::new());
        case.variables[0].space = Space::Const;
        case.declarations = declarations.replace(".global", ".const");
        assert_eq!(refused(&case), "`g` in .const cannot be read back");
    }

    #[test]
    fn refused_cases_give_the_reason() {
        let registers = ".reg .b32 %r; .reg .b64 %a, %p;";
        let global = ".global .b8 g[64];";
        let unified = ".global .attribute(.unified(1, 2)) .b8 g[64];";
        let function = ".func f(.param .b8 g[64]) {";
        let load = "ld.global.b32 %r, [%a];";
        for (before, line, bits, holds, why) in [
            (unified, load, 64, address("g", false), "`g` is unified"),
            (global, load, 32, address("g", false), "has 32 bits"),
            (global, load, 64, address("h", false), "is not a declared variable"),
            (function, load, 64, address("g", false), "has no address in `.param`"),
            (global, "ld.global.b32 %r, [g+-4];", 64, Holds::Bits, "before `g`"),
            (global, load, 24, Holds::Bits, "24 bits"),
            (global, "ld.global.b32 %r, [%a", 64, Holds::Bits, "cannot be read"),
        ] {
            let register = if bits == 32 { "%r" } else { "%a" };
            let case = case(&format!("{before}{registers}"), line, vec![input(register, bits, holds)], Vec::new(), 1);
            let why_not = refused(&case);
            assert!(why_not.contains(why), "{line}: {why_not}");
        }
        let mut old = case(registers, "mov.u32 %r, 0;", Vec::new(), vec![output("%q", 32)], 1);
        assert_eq!(refused(&old), "`%q` is not a declared register");
        old.ptx = "2.2".parse().expect("a version");
        assert_eq!(refused(&old), "in PTX 2.2, addresses have 32 bits");
    }

    #[test]
    fn a_cache_policy_is_created() {
        let inputs = vec![input("%p", 64, Holds::Policy), input("%a", 64, address("g", false))];
        let declarations = ".global .b8 g[10]; .entry k { .reg .b32 %r; .reg .b64 %a, %p;";
        let case = case(declarations, "ld.global.L2::cache_hint.b32 %r, [%a], %p;", inputs, vec![output("%r", 32)], 1);
        let (text, kernel) = kernel(&case);
        assert!(text.contains("createpolicy.fractional.L2::evict_first.b64 %p, 1.0;"));
        assert_eq!(kernel.row_bytes, 8);
    }

    #[test]
    fn cases_share_a_module_where_they_can() {
        let with = |globals: &str, registers: &str| {
            let declarations = format!("{globals} .entry k {{ {registers}");
            case(&declarations, "mov.u32 %r, k0;", Vec::new(), vec![output("%r", 32)], 1)
        };
        let [a, b] = [".global .b8 k0[4];", ".global .b8 k0[8];"].map(|globals| with(globals, ".reg .b32 %r;"));
        let c = with(".global .b8 k0[4];", ".reg .b32 %r, %conform_;");
        let cases: Vec<LineCase> = [a.clone(), b.clone(), c.clone()].into_iter().chain(vec![a.clone(); 127]).collect();
        let groups = batches(&cases);
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [128, 2]);

        let (text, kernels) = module(&[&a, &b, &c]);
        let entries: Vec<_> =
            kernels.iter().map(|kernel| kernel.as_ref().ok().map(|kernel| kernel.entry.as_str())).collect();
        assert_eq!(entries, [Some("kk0"), Some("kk1"), Some("kk2")]);
        assert_eq!(text.matches(" k0[").count(), 1, "equal module scopes are one");
        assert_eq!(text.matches(" conform__1_k0[8]").count(), 1, "a variable that another case has, but different");
        assert!(text.contains("mov.u32 %r, k0;") && text.contains("mov.u32 %r, conform__1_k0;"), "{text}");
        assert!(text.contains("%conform__row"), "names of our own");
        // Names that cannot be changed: these cases differ in the contents of a variable only.
        let mut one = with(".reg .b32 %g; .global .b8 v[10];", ".reg .b32 %r;");
        one.variables = vec![variable("v", Space::Global)];
        let mut other = one.clone();
        other.variables[0].data[0] = 99;
        assert_eq!(batches(&[one.clone(), other, one]), [vec![0, 2], vec![1]]);
        let mut d = a.clone();
        d.target = "sm_80".parse().expect("a target");
        assert!(module(&[&a, &d]).1[1].as_ref().is_err_and(|why| why.contains("differs")), "one target");
        assert_eq!(module(&[]), (String::new(), Vec::new()));
    }
}
