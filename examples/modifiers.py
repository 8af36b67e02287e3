#!/usr/bin/env python3
"""Is a combination of modifiers valid for a target? Answered from the exported specification alone.

    ptx-conform spec export > ptx.json
    python3 examples/modifiers.py ptx.json --ptx 8.8 --target sm_120a redux.sync.min.abs.f32 add.rn.f32x2
    ptx-conform generate add --format jsonl | python3 examples/modifiers.py ptx.json

A combination is valid if some operands make a valid line of it. Lines of JSON with `line`, `ptx` and `target`, as those for
`ptx-conform judge`, are read from stdin; of each line only its opcode counts.
"""

import argparse
import json
import re
import sys
from functools import lru_cache

# Lines that break rules of other kinds are valid: docs/tables.md.
FORBIDDING = {"given", "constraint", "needs-ptx", "needs-target"}


def words(opcode):
    """`cvt.rn.f32` as `cvt`, `.rn`, `.f32`; `::` does not separate."""
    first, *rest = opcode.split(".")
    return [first, *(f".{word}" for word in rest)]


@lru_cache(maxsize=None)
def pattern(value):
    """Matches a value of a slot; `{0-7}` in it stands for any character of the range."""
    return re.compile(re.sub(r"\\\{(.)\\-(.)\\\}", r"[\1-\2]", re.escape(value)))


class Form:
    def __init__(self, isa, form):
        self.form, axes = form, {axis["name"]: axis for axis in isa["axes"] + form["axes"]}
        self.slots = [slot["axis"] for slot in form["slots"]]
        self.modifiers = {name: [value for value in axes[name]["values"] if value != "none"] for name in self.slots}
        # The first writing is the manual's; the others are faults.
        self.open = {
            name: axis["values"][:1] if axis["choice"] == "writing" else axis["values"] + axis.get("probes", [])
            for name, axis in axes.items()
        }
        self.rules = [rule for rule in isa["rules"] + form["rules"] if rule["kind"] in FORBIDDING]

    def placed(self, rest, slots):
        """Each way to give the words of a line to slots."""
        if not slots:
            if not rest:
                yield {}
            return
        in_order = self.form["ordered"]
        for at, slot in enumerate(slots[:1] if in_order else slots):
            others = slots[:at] + slots[at + 1 :]
            for value in self.modifiers[slot]:
                count = len(words(value)) - 1
                if rest and pattern(value).fullmatch("".join(rest[:count])):
                    for choices in self.placed(rest[count:], others):
                        yield {slot: value, **choices}
        if in_order:
            for choices in self.placed(rest, slots[1:]):
                yield {slots[0]: "none", **choices}
        elif not rest:
            yield {slot: "none" for slot in slots}

    def breaks(self, choices):
        """Why no other choices make a valid line of these: the rules that they break by themselves, if there are any."""
        left = {}
        for rule in self.rules:
            for forbidden in rule["forbids"]:
                if all(choices[axis] in values for axis, values in forbidden.items() if axis in choices):
                    others = {axis: values for axis, values in forbidden.items() if axis not in choices}
                    left.setdefault(json.dumps(others, sort_keys=True), (others, rule["id"]))
        broken = {rule for others, rule in left.values() if not others}
        if broken:
            return broken
        cubes = [others for others, _ in left.values()]
        axes = [axis for axis in self.open if axis not in choices and any(axis in cube for cube in cubes)]

        @lru_cache(maxsize=None)
        def possible(level, alive):
            """Whether values for the axes from this level on leave none of the combinations that are still alive."""
            if level == len(axes):
                return not alive
            axis, after = axes[level], set(axes[level + 1 :])
            for value in self.open[axis]:
                still = frozenset(at for at in alive if value in cubes[at].get(axis, [value]))
                if all(after & cubes[at].keys() for at in still) and possible(level + 1, still):
                    return True
            return False

        return set() if possible(0, frozenset(range(len(cubes)))) else {"no operands fit"}


class Spec:
    def __init__(self, exported):
        if exported["version"] != 1:
            sys.exit(f"this reads version 1 of the format, and this is version {exported['version']}")
        self.isa, self.instructions = exported["isa"], {of["name"]: of for of in exported["instructions"]}
        self.forms, self.answers = {}, {}

    def forms_of(self, name):
        if name not in self.forms:
            self.forms[name] = [Form(self.isa, form) for form in self.instructions[name]["forms"]]
        return self.forms[name]

    def answer(self, opcode, ptx, target):
        """None if the modifiers are valid, or else why not."""
        key = (opcode, ptx, target)
        if key not in self.answers:
            self.answers[key] = self.judge(*key)
        return self.answers[key]

    def judge(self, opcode, ptx, target):
        all_words = words(opcode)
        names = ("".join(all_words[:end]) for end in range(len(all_words), 0, -1))
        name = next((name for name in names if name in self.instructions), None)
        if name is None:
            return "no instruction has this name"
        rest, best = all_words[len(words(name)) :], None
        for form in self.forms_of(name):
            for placed in form.placed(rest, form.slots):
                broken = form.breaks({"ptx": ptx, "target": target, **placed})
                if not broken:
                    return None
                if best is None or len(broken) < len(best):
                    best = broken
        return ", ".join(sorted(best)) if best else f"no form of {name} has these modifiers"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specification", help="what `ptx-conform spec export` printed")
    parser.add_argument("opcodes", nargs="*", help="opcodes with modifiers; without any, lines of JSON on stdin")
    parser.add_argument("--ptx", help="the PTX version [default: the newest]")
    parser.add_argument("--target", help="the target [default: the newest]")
    options = parser.parse_intermixed_args()
    with open(options.specification, encoding="utf-8") as file:
        spec = Spec(json.load(file))
    ptx = options.ptx or spec.isa["versions"][-1]
    target = options.target or spec.isa["targets"][-1]["name"]
    for known, given in [(spec.isa["versions"], ptx), ([of["name"] for of in spec.isa["targets"]], target)]:
        if given not in known:
            sys.exit(f"{given} is none of {' '.join(known)}")
    for opcode in options.opcodes:
        why = spec.answer(opcode, ptx, target)
        print(f"{opcode}: {'valid' if why is None else f'invalid: {why}'}")
    if not options.opcodes:
        for request in map(json.loads, sys.stdin):
            opcode = re.match(r"(?:@!?\S+\s+)?([^\s;]+)", request["line"])[1]
            why = spec.answer(opcode, request["ptx"], request["target"])
            verdict = {"verdict": "valid"} if why is None else {"verdict": "invalid", "because": why}
            print(json.dumps(verdict))


main()
