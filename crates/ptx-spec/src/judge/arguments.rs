//! Which argument of a line is which operand of its form.

use crate::component::split_component;
use crate::spec::{Form, Pattern};
use crate::text::{Argument, Declarations, Line, Symbol};

/// The argument of a line for an operand of its form.
#[derive(Clone, Copy, Debug)]
pub struct BoundArgument<'l, 'a> {
    /// The operand, by its position in the form.
    pub operand: usize,
    /// Its argument.
    pub argument: &'l Argument<'a>,
    /// True if the argument stands in square brackets.
    pub bracketed: bool,
    /// True if a suffix may follow it, which looks like a component of a register.
    suffixed: bool,
}

/// An element of an argument: one of several in braces or parentheses, a component of a vector register, or all of it.
#[derive(Clone, Copy, Debug)]
pub struct BoundElement<'l, 'a> {
    /// The argument, or the one of its elements.
    pub argument: &'l Argument<'a>,
    /// The component, if the argument is a vector register that stands for all of them.
    component: Option<&'static str>,
    /// The name in the argument, without a sign and a suffix; none if there is no name.
    register: Option<&'a str>,
}

/// The operands of a line of a form that are there by these choices, each with its argument.
pub fn arguments<'l, 'a>(form: &Form, values: &[u8], line: &'l Line<'a>) -> Vec<BoundArgument<'l, 'a>> {
    matched(form, |at| !form.operands[at].left_out(form, values), line)
}

/// The operands of a line whose choices are not known, each with its argument: as if none were left out.
pub fn assumed_arguments<'l, 'a>(form: &Form, line: &'l Line<'a>) -> Vec<BoundArgument<'l, 'a>> {
    matched(form, |_| true, line)
}

fn matched<'l, 'a>(form: &Form, present: impl Fn(usize) -> bool, line: &'l Line<'a>) -> Vec<BoundArgument<'l, 'a>> {
    let present = |at: &usize| present(*at);
    let bound = |operand: usize, argument: &'l Argument<'a>, bracketed: bool| {
        let suffixed = form.suffixes.iter().any(|(of, _)| *of == operand);
        BoundArgument { operand, argument, bracketed, suffixed }
    };
    let mut texts = line.operands.iter();
    let mut found = Vec::new();
    for part in form.pattern.iter().filter(|part| part.operands().iter().any(present)) {
        let Some(text) = texts.next() else { break };
        match (part, &text.argument) {
            (Pattern::Bracket(inside), Argument::Bracket(elements))
            | (Pattern::Braces(inside), Argument::Tuple(elements)) => {
                let there = inside.iter().copied().filter(present);
                let bracketed = matches!(part, Pattern::Bracket(_));
                found.extend(there.zip(elements).map(|(at, element)| bound(at, element, bracketed)));
            }
            (Pattern::Bracket(inside) | Pattern::Braces(inside), element) => {
                found.extend(inside.first().map(|&at| bound(at, element, false)))
            }
            (Pattern::Pair(first, second), Argument::Pair(halves)) => {
                found.extend([bound(*first, &halves[0], false), bound(*second, &halves[1], false)]);
            }
            (Pattern::Operand(at) | Pattern::List(at) | Pattern::Pair(at, _), argument) => {
                found.push(bound(*at, argument, false));
            }
        }
    }
    found
}

impl<'l, 'a> BoundArgument<'l, 'a> {
    /// Its elements, in order: a vector register that is not in braces has one for each component.
    pub fn elements(&self, declarations: &Declarations) -> Vec<BoundElement<'l, 'a>> {
        let arguments = match self.argument {
            Argument::Tuple(elements) | Argument::List(elements) => elements.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut found = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let register = match argument {
                Argument::Name(name) | Argument::Sum(name, ..) | Argument::Signed(_, name) => Some(*name),
                _ => None,
            };
            let register = register.map(|name| match split_component(name) {
                Some((register, _)) if self.suffixed && declarations.symbol(name).is_none() => register,
                _ => name,
            });
            let lanes = match (argument, register.and_then(|name| declarations.symbol(name))) {
                (Argument::Name(_), Some(Symbol::Register(_, lanes))) => lanes,
                _ => 1,
            };
            match lanes {
                0 | 1 => found.push(BoundElement { argument, component: None, register }),
                // Vector registers have two or four components.
                lanes => {
                    found.extend(["x", "y", "z", "w"].into_iter().take(lanes.into()).map(|component| BoundElement {
                        argument,
                        component: Some(component),
                        register,
                    }))
                }
            }
        }
        found
    }
}

impl<'a> BoundElement<'_, 'a> {
    /// The name of the scalar register or vector in it; none if there is no name.
    pub fn register(&self) -> Option<&'a str> {
        self.register
    }

    /// The name in it, a register or what an address starts from: without the sign before it and the suffix after it, and
    /// with the component.
    pub fn name(&self) -> Option<String> {
        let name = self.register()?;
        Some(self.component.map_or_else(|| name.to_owned(), |component| format!("{name}.{component}")))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::environment::{AddressSize, Environment};
    use crate::judge::Judge;
    use crate::spec::Spec;

    const DECLARED: &str = ".global .surfref surf; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b128 %q<2>; .reg .b16 %h<4>; .reg .f32 %f<9>; .reg .pred %p<4>; .reg .v2 .b32 %v;";

    /// A line, and its operands: `operand=element+element`, `#` for a number, `[]` around what stands in brackets.
    const CASES: &[(&str, &str)] = &[
        ("add.u32 %r1, %r2, 3;", "d=%r1 a=%r2 b=#"),
        // A component is a name, and a vector register without braces stands for its components.
        ("add.u32 %v.x, %r2, -1;", "d=%v.x a=%r2 b=#"),
        ("ld.global.v2.b32 %v, [%rd1+8];", "d=%v.x+%v.y [a=%rd1]"),
        ("ld.global.v2.b32 {%r1, _}, [%rd1];", "d=%r1+# [a=%rd1]"),
        // Operands that may be left out, in the middle, at the end, and in front.
        ("bar.red.popc.u32 %r1, 0, %p1;", "d=%r1 a=# c=%p1"),
        ("bar.red.popc.u32 %r1, 0, 32, !%p1;", "d=%r1 a=# b=# c=%p1"),
        ("ld.global.L2::cache_hint.b32 %r1, [%rd1], %rd2;", "d=%r1 [a=%rd1] cache-policy=%rd2"),
        ("red.global.add.u32 [%rd1], %r1;", "[a=%rd1] b=%r1"),
        // A pair, whole or only its first half, and a negated predicate.
        ("setp.lt.s32 %p1, %r1, %r2;", "p=%p1 a=%r1 b=%r2"),
        ("setp.lt.s32 %p1|%p2, %r1, %r2;", "p=%p1 q=%p2 a=%r1 b=%r2"),
        ("setp.lt.and.s32 _|%p2, %r1, 1, !%p3;", "p=# q=%p2 a=%r1 b=# c=%p3"),
        // A guard is no operand.
        ("@!%p1 shfl.sync.up.b32 %r1|%p2, %r2, 1, 0, %r3;", "d=%r1 p=%p2 a=%r2 b=# c=# membermask=%r3"),
        // Braces around one operand, and around operands that are each described by themselves.
        (
            "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, %r3, _}, %q1;",
            "xdim=%r1+%r2+%r3+# try_cancel_response=%q1",
        ),
        (
            "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%f1, %f2, %f3, %f4}, \
             {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5, %f6, %f7, %f8}, %r7, {2, %h1}, %r8, {%h2, 3};",
            "d=%f1+%f2+%f3+%f4 a=%r1+%r2+%r3+%r4 b=%r5+%r6 c=%f5+%f6+%f7+%f8 scale-a-data=%r7 byte-id-a=# \
             thread-id-a=%h1 scale-b-data=%r8 byte-id-b=%h2 thread-id-b=#",
        ),
        ("mov.b64 %rd1, {%r1, %r2};", "d=%rd1 a=%r1+%r2"),
        // Brackets with an object and its coordinates.
        ("suld.b.2d.b32.trap %r1, [surf, {%r2, %r3}];", "d=%r1 [a=surf] [b=%r2+%r3]"),
        // A suffix is no component.
        ("vadd.s32.u32.s32.add %r1, %r2.b0, %r3.h1, %r4;", "d=%r1 a=%r2 b=%r3 c=%r4"),
        ("vadd2.s32.u32.s32 %r1.h0, %r2.h10, %r3, %v.y;", "d=%r1 a=%r2 b=%r3 c=%v.y"),
        // What is before a sign is not part of the name.
        ("fma.rn.f32 %f1, %f2, -%f3, %f4;", "d=%f1 a=%f2 b=%f3 c=%f4"),
    ];

    fn shown(form: &Form, bound: &BoundArgument<'_, '_>, declarations: &Declarations) -> String {
        let elements = bound.elements(declarations);
        let names: Vec<String> = elements.iter().map(|of| of.name().unwrap_or_else(|| "#".to_owned())).collect();
        let text = format!("{}={}", form.operands[bound.operand].name, names.join("+"));
        if bound.bracketed { format!("[{text}]") } else { text }
    }

    #[test]
    fn each_argument_belongs_to_its_operand() {
        let specs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs");
        let spec = Spec::load(Path::new(specs)).expect("the specification is sound");
        let declarations = Declarations::parse(DECLARED, &spec.isa).expect("declarations");
        let environment = Environment {
            ptx: *spec.isa.versions.last().expect("versions"),
            target: "sm_100a".parse().expect("a target"),
            address_size: AddressSize::Bits64,
        };
        let judge = Judge::new(&spec, &environment).expect("a known environment");
        for (text, operands) in CASES {
            let line = Line::parse(text).expect("a line");
            let (instruction, reading) = judge.read(&line, &declarations).expect("a line of an instruction");
            let form = &instruction.forms[reading.form];
            let found = arguments(form, &reading.values, &line);
            let found: Vec<String> = found.iter().map(|bound| shown(form, bound, &declarations)).collect();
            assert_eq!(found.join(" "), *operands, "{text} as {}", form.id);
        }
    }

    /// Without choices, an operand that may be left out is taken to be there.
    #[test]
    fn assumed_arguments_fill_the_operands_in_order() {
        let spec = Spec::load(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs"))).expect("it is sound");
        let declarations = Declarations::parse(DECLARED, &spec.isa).expect("declarations");
        let line = Line::parse("bar.red.popc.u32 %r1, 0, %p1;").expect("a line");
        let forms = &spec.instruction("bar").expect("a specification").forms;
        let form = forms.iter().find(|form| form.syntax.contains("popc")).expect("its form");
        let found = assumed_arguments(form, &line);
        let found: Vec<String> = found.iter().map(|bound| shown(form, bound, &declarations)).collect();
        assert_eq!(found.join(" "), "d=%r1 a=# b=%p1");
    }
}
