#!/usr/bin/env python3
"""An engine that executes whole modules: integers of 16, 32 and 64 bits, global memory, branches.

    ptx-conform run add and xor --chains 64 --engine 'exec:python3 examples/modules.py'
"""

import json
import re
import sys

STATEMENT = re.compile(r"\s*(?:(\w+):|([{}])|(?:@(!?)(%\w+)\s+)?([a-z][\w.]*(?:::\w+)*)\s*([^;]*);|(\.reg)\s+\.(\w+)\s+([^;]*);)")
ENTRY = re.compile(r"\.entry\s+(\w+)\s*\(([^)]*)\)\s*(?=\{)")
VARIABLE = re.compile(r"^\.visible \.global \.align \d+ \.b8 (\w+)\[(\d+)\];", re.MULTILINE)
WIDTHS = {"pred": 1, **{f"{kind}{bits}": bits for kind in "busf" for bits in (8, 16, 32, 64)}}
TWO = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "min": min,
    "max": max,
}
COMPARE = {"eq": "__eq__", "ne": "__ne__", "lt": "__lt__", "le": "__le__", "gt": "__gt__", "ge": "__ge__"}
SPACES = {"volatile", "global", "param"}


class Skip(Exception):
    """Nothing here says what a text does."""


class Trap(Exception):
    """An access outside of memory."""


def read(module):
    """The entries of a module: the names of their parameters, and their statements."""
    entries = {}
    for entry in ENTRY.finditer(module):
        parameters = [words.split()[-1].split("[")[0] for words in entry[2].split(",") if words.strip()]
        entries[entry[1]] = (parameters, *body(module, entry.end()))
    return entries


def body(module, at):
    """The statements of a body and the places of its labels. Registers get the number of the block that declares them."""
    statements, labels, scopes, blocks = [], {}, [], 0
    while True:
        found = STATEMENT.match(module, at)
        if not found:
            return [Skip(f"`{module[at:at + 60].strip()}` is not known")], {}
        at = found.end()
        label, brace, negated, guard, opcode, operands, declares, kind, names = found.groups()
        if label:
            labels[label] = len(statements)
        elif brace == "{":
            blocks += 1
            scopes.append({})
        elif brace == "}":
            scopes.pop()
            if not scopes:
                return statements, labels
        elif declares:
            for name in names.split(","):
                stem, many = re.fullmatch(r"(%\w+?)(?:<(\d+)>)?", name.strip()).groups()
                own = [stem] if many is None else [f"{stem}{number}" for number in range(int(many))]
                scopes[-1].update({name: (f"{name} of {blocks}", WIDTHS.get(kind)) for name in own})
        else:
            known = {name: register for scope in scopes for name, register in scope.items()}
            guard = guard and (known[guard][0], not negated)
            operands = [known.get(one, one) for one in re.split(r"\s*,\s*(?![^\[]*\])", operands.strip())]
            operands = [address(one, known) if isinstance(one, str) and one[:1] == "[" else one for one in operands]
            statements.append((guard, opcode, operands, found[0].strip()))


def address(text, known):
    """`[%from+8]` as its base and its offset."""
    base, offset = re.fullmatch(r"\[\s*([^\s+\]]+)\s*(?:\+\s*(-?\d+))?\s*\]", text).groups()
    return "at", known.get(base, base), int(offset or 0)


class Thread:
    """A thread of a launch."""

    def __init__(self, memory, parameters, named):
        self.memory, self.parameters, self.named, self.registers = memory, parameters, named, {}

    def value(self, operand, bits, signed=False):
        if isinstance(operand, tuple):
            number = self.registers.get(operand[0])
            if number is None:
                raise Skip("a register is read that nothing wrote")
        elif operand in self.named:
            number = self.named[operand]
        elif re.fullmatch(r"-?\d+|0x[0-9a-fA-F]+", operand):
            number = int(operand, 0)
        else:
            raise Skip(f"`{operand}` is not known")
        number &= (1 << bits) - 1
        return number - (1 << bits) if signed and number >> (bits - 1) else number

    def write(self, operand, number, bits):
        if not isinstance(operand, tuple) or operand[1] is None:
            raise Skip("such a destination is not known")
        self.registers[operand[0]] = number & ((1 << bits) - 1)

    def place(self, operand, size):
        _, base, offset = operand
        start = (self.value(base, 64) + offset) % 2**64
        for begins, data in self.memory:
            if begins <= start and start + size <= begins + len(data) and start % size == 0:
                return data, start - begins
        raise Trap(f"no memory at {start:#x}")

    def execute(self, opcode, operands, text):
        name, *modifiers = opcode.split(".")
        kind = modifiers.pop() if modifiers else ""
        bits, signed, words = WIDTHS.get(kind), kind[:1] == "s", [word for word in modifiers if word not in SPACES]
        if name == "membar" or bits is None:
            if name != "membar":
                raise Skip(f"`{text}` is not known")
        elif name == "ld" and "param" in modifiers and not words:
            data = self.parameters[operands[1][1]]
            self.write(operands[0], int.from_bytes(data, "little"), bits)
        elif name == "ld" and not words:
            data, at = self.place(operands[1], bits // 8)
            number = int.from_bytes(data[at:at + bits // 8], "little")
            number -= (1 << bits) if signed and number >> (bits - 1) else 0
            self.write(operands[0], number, operands[0][1])
        elif name == "st" and not words:
            data, at = self.place(operands[0], bits // 8)
            data[at:at + bits // 8] = self.value(operands[1], bits).to_bytes(bits // 8, "little")
        elif name in ("mov", "cvta") and words in ([], ["to"]):
            self.write(operands[0], self.value(operands[1], bits), bits)
        elif name == "not" and not words:
            self.write(operands[0], ~self.value(operands[1], bits), bits)
        elif name == "setp" and len(words) == 1 and words[0] in COMPARE:
            a, b = (self.value(one, bits, signed) for one in operands[1:])
            self.write(operands[0], int(getattr(a, COMPARE[words[0]])(b)), 1)
        elif name == "selp" and not words:
            chosen = operands[1] if self.value(operands[3], 1) else operands[2]
            self.write(operands[0], self.value(chosen, bits), bits)
        elif name in ("mul", "mad") and words in (["lo"], ["wide"]):
            wide = 2 * bits if words == ["wide"] else bits
            product = self.value(operands[1], bits, signed) * self.value(operands[2], bits, signed)
            added = self.value(operands[3], wide) if name == "mad" else 0
            self.write(operands[0], product + added, wide)
        elif name in TWO and name != "mul" and not words:
            a, b = (self.value(one, bits, signed) for one in operands[1:])
            self.write(operands[0], TWO[name](a, b), bits)
        else:
            raise Skip(f"`{text}` is not known")

    def run(self, statements, labels):
        at = 0
        for _ in range(1 << 20):
            if at == len(statements):
                return
            if isinstance(statements[at], Skip):
                raise statements[at]
            guard, opcode, operands, text = statements[at]
            at += 1
            if guard and bool(self.value(guard, 1)) != guard[1]:
                continue
            if opcode == "ret":
                return
            if opcode.startswith("bra"):
                at = labels[operands[0]]
            else:
                self.execute(opcode, operands, text)
        raise Skip("too many steps")


def places(extents):
    return [(x, y, z) for z in range(extents[2]) for y in range(extents[1]) for x in range(extents[0])]


def launched(entries, variables, case):
    """The answer to a case: each thread runs by itself. Variables are zeros before."""
    contents = [bytearray.fromhex(buffer["data"]) for buffer in case["buffers"]]
    memory = [((at + 1) << 32, data) for at, data in enumerate(contents + [bytearray(int(size)) for _, size in variables])]
    addresses = {buffer["name"]: begins for buffer, (begins, _) in zip(case["buffers"], memory)}
    named = {name: begins for (name, _), (begins, _) in zip(variables, memory[len(contents):])}
    try:
        for launch in case["launches"]:
            names, statements, labels = entries[launch["entry"]]
            bytes_of = lambda one: bytes.fromhex(one["bytes"]) if "bytes" in one else addresses[one["address"]].to_bytes(8, "little")
            parameters = dict(zip(names, map(bytes_of, launch["arguments"])))
            for block in places(launch["grid"]):
                for thread in places(launch["block"]):
                    special = {"ctaid": block, "tid": thread, "ntid": launch["block"], "nctaid": launch["grid"]}
                    position = {f"%{name}.{axis}": of["xyz".index(axis)] for name, of in special.items() for axis in "xyz"}
                    Thread(memory, parameters, {**position, **named}).run(statements, labels)
    except Skip as why:
        return {"skipped": str(why)}
    except Trap as how:
        return {"trapped": str(how)}
    after = {buffer["name"]: data.hex() for buffer, (_, data) in zip(case["buffers"], memory) if data.hex() != buffer["data"]}
    return {"returned": {"buffers": after}}


def answer(request):
    kind, body = next(iter(request.items()))
    if kind == "hello":
        return {"hello": {"protocol": 1, "name": "modules", "version": "1.0", "abilities": ["modules"]}}
    if kind == "launch":
        entries, variables = read(body["module"]), VARIABLE.findall(body["module"])
        return {"launched": {"id": body["id"], "answers": [launched(entries, variables, case) for case in body["cases"]]}}
    return {"error": {"id": body["id"], "message": f"it cannot {kind}"}}


for message in sys.stdin:
    print(json.dumps(answer(json.loads(message))), flush=True)
