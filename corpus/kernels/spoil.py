"""Spoils one token of one instruction of a PTX file and asks ptxas whether it still accepts the file.

Usage: spoil.py COUNT SEED OUTPUT [FILE...]        (without files: all of ptx/ that are small enough)
Each line of OUTPUT is JSON: file, arch, line (from 1), opcode, original, spoilt, kind, accepted, message.
The modifiers that exist are those of ptx/. The same arguments and files give the same spoilings.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Callable, NamedTuple, Optional, TextIO

from ptx_text import NOISE, Instruction, blank, instructions

HERE = Path(__file__).parent
PTXAS = Path(os.environ.get("PTXAS", Path.home() / ".cache/ptx-conform/ptxas/13.5.37/ptxas"))
OLDEST = 75  # the oldest target of that ptxas; older files are judged for it
LARGEST = 200_000  # bytes
REGISTERS = re.compile(r"\.reg\s+(?:\.v[24]\s+)?\.(\w+)\s+([^;]+);")
REGISTER = re.compile(r"(?<![\w$%.])[%$A-Za-z_][\w$]*")
IMMEDIATE = re.compile(r"(?<![\w$%.])-?(?:0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)(?![\w.])")
IMMEDIATES = ["0", "1", "-1", "2", "3", "7", "16", "31", "32", "33", "64", "255", "256", "65536", "4294967295", "4294967296",
              "0xFFFFFFFFFFFFFFFF", "0f3F800000", "0d3FF0000000000000", "1.5", "0xFF"]


class Edit(NamedTuple):
    """Text that replaces what stands between two offsets of the file."""

    start: int
    end: int
    text: str


class Corpus:
    """The modifiers that each opcode was seen with."""

    def __init__(self, paths: list[Path]):
        self.of_opcode: dict[str, list[str]] = defaultdict(list)
        for full in sorted({found.opcode for path in paths for found in instructions(path.read_text())}):
            opcode, *modifiers = split(full)
            known = self.of_opcode[opcode]
            known += [modifier for modifier in modifiers if modifier not in known]
        self.opcodes = sorted(self.of_opcode)
        self.modifiers = sorted({modifier for known in self.of_opcode.values() for modifier in known})

    def modifier(self, chance: random.Random, opcode: str) -> str:
        """Mostly one of the same opcode."""
        known = self.of_opcode.get(opcode)
        return chance.choice(known if known and chance.random() < 0.75 else self.modifiers)


class File:
    def __init__(self, path: Path):
        self.path = path
        self.text = path.read_text()
        self.clean = NOISE.sub(blank, self.text)
        self.by_opcode: dict[str, list[Instruction]] = defaultdict(list)
        for found in instructions(self.text):
            self.by_opcode[found.opcode].append(found)
        self.types = register_types(self.clean)
        target = re.search(r"^\s*\.target\s+sm_(\d+)([af]?)", self.clean, re.MULTILINE)
        number, suffix = (int(target[1]), target[2]) if target else (OLDEST, "")
        self.arch = f"compute_{number}{suffix}" if number >= OLDEST else f"compute_{OLDEST}"

    def kind_of(self, register: str) -> Optional[str]:
        return self.types.get(register) or self.types.get(register.rstrip("0123456789") + "<>")


def main(count: int, seed: str, output: Path, names: list[str]) -> None:
    chance = random.Random(seed)
    stored = sorted((HERE / "ptx").glob("*.ptx"))
    corpus = Corpus(stored)
    stems = by_kernel([Path(name) for name in names] or stored)
    files: dict[Path, Optional[File]] = {}
    seen: set[tuple[str, str]] = set()
    with output.open("w") as out:
        while count > 0:
            path = chance.choice(stems[chance.choice(sorted(stems))])
            if path not in files:
                files[path] = accepted_file(path)
            spoiling = files[path] and spoil(chance, corpus, files[path])
            if not spoiling or (spoiling["original"], spoiling["spoilt"]) in seen:
                continue
            seen.add((spoiling["original"], spoiling["spoilt"]))
            record(spoiling, out)
            count -= 1


def record(spoiling: dict, out: TextIO) -> None:
    """Asks ptxas about a spoilt text, and writes a line with the answer in place of the text."""
    spoiling["message"] = ask(spoiling.pop("text"), spoiling["arch"])
    spoiling["accepted"] = not spoiling["message"]
    out.write(json.dumps(spoiling) + "\n")
    out.flush()


def by_kernel(paths: list[Path]) -> dict[str, list[Path]]:
    """So that kernels with many targets are not drawn more often."""
    groups = defaultdict(list)
    for path in paths:
        if path.stat().st_size <= LARGEST:
            groups[path.name.split(".")[0]].append(path)
    return groups


def accepted_file(path: Path) -> Optional[File]:
    file = File(path)
    return None if not file.by_opcode or ask(file.text, file.arch) else file


def spoil(chance: random.Random, corpus: Corpus, file: File) -> Optional[dict]:
    found = chance.choice(file.by_opcode[chance.choice(sorted(file.by_opcode))])
    kind = chance.choice(sorted(KINDS))
    edit = KINDS[kind](chance, corpus, file, found)
    if not edit or edit.text == file.text[edit.start : edit.end]:
        return None
    text = file.text[: edit.start] + edit.text + file.text[edit.end :]
    return {
        "file": file.path.name, "arch": file.arch, "line": file.text.count("\n", 0, edit.start) + 1, "opcode": found.opcode,
        "original": line_at(file.text, edit.start), "spoilt": line_at(text, edit.start), "kind": kind, "text": text,
    }


def replace_modifier(chance: random.Random, corpus: Corpus, file: File, found: Instruction) -> Optional[Edit]:
    opcode, *modifiers = split(found.opcode)
    if not modifiers:
        return None
    at = chance.randrange(len(modifiers))
    modifiers[at] = corpus.modifier(chance, opcode)
    return rewritten(found, opcode, modifiers)


def drop_modifier(chance: random.Random, corpus: Corpus, file: File, found: Instruction) -> Optional[Edit]:
    opcode, *modifiers = split(found.opcode)
    if not modifiers:
        return None
    del modifiers[chance.randrange(len(modifiers))]
    return rewritten(found, opcode, modifiers)


def double_modifier(chance: random.Random, corpus: Corpus, file: File, found: Instruction) -> Optional[Edit]:
    opcode, *modifiers = split(found.opcode)
    if not modifiers:
        return None
    at = chance.randrange(len(modifiers))
    modifiers.insert(at, modifiers[at])
    return rewritten(found, opcode, modifiers)


def add_modifier(chance: random.Random, corpus: Corpus, file: File, found: Instruction) -> Optional[Edit]:
    opcode, *modifiers = split(found.opcode)
    modifiers.insert(chance.randint(0, len(modifiers)), corpus.modifier(chance, opcode))
    return rewritten(found, opcode, modifiers)


def change_opcode(chance: random.Random, corpus: Corpus, file: File, found: Instruction) -> Optional[Edit]:
    _, *modifiers = split(found.opcode)
    return rewritten(found, chance.choice(corpus.opcodes), modifiers)


def swap_register(chance: random.Random, corpus: Corpus, file: File, found: Instruction) -> Optional[Edit]:
    start = operands_start(found)
    used = [match for match in REGISTER.finditer(file.clean, start, found.end) if file.kind_of(match.group())]
    if not used:
        return None
    match = chance.choice(used)
    kind = file.kind_of(match.group())
    kinds = {other for other in file.types.values() if other != kind}
    others = {word for word in REGISTER.findall(file.clean) if file.kind_of(word) in kinds}
    return Edit(match.start(), match.end(), chance.choice(sorted(others))) if others else None


def replace_immediate(chance: random.Random, corpus: Corpus, file: File, found: Instruction) -> Optional[Edit]:
    numbers = list(IMMEDIATE.finditer(file.clean, operands_start(found), found.end))
    if not numbers:
        return None
    match = chance.choice(numbers)
    return Edit(match.start(), match.end(), chance.choice(IMMEDIATES))


def drop_operand(chance: random.Random, corpus: Corpus, file: File, found: Instruction) -> Optional[Edit]:
    operands = operand_ranges(found)
    if not operands:
        return None
    at = chance.randrange(len(operands))
    start, end = operands[at]
    if at + 1 < len(operands):
        return Edit(start, operands[at + 1][0], "")
    return Edit(operands[at - 1][1] if at > 0 else start, end, "")


def add_operand(chance: random.Random, corpus: Corpus, file: File, found: Instruction) -> Optional[Edit]:
    operands = operand_ranges(found)
    if not operands:
        return None
    at = chance.randrange(len(operands))
    added = chance.choice([file.text[slice(*chance.choice(operands))], chance.choice(IMMEDIATES)])
    return Edit(operands[at][1], operands[at][1], ", " + added)


KINDS: dict[str, Callable[[random.Random, Corpus, File, Instruction], Optional[Edit]]] = {
    "replace-modifier": replace_modifier, "drop-modifier": drop_modifier, "double-modifier": double_modifier,
    "add-modifier": add_modifier, "change-opcode": change_opcode, "swap-register": swap_register,
    "replace-immediate": replace_immediate, "drop-operand": drop_operand, "add-operand": add_operand,
}


def split(opcode: str) -> list[str]:
    return opcode.split(".")


def rewritten(found: Instruction, opcode: str, modifiers: list[str]) -> Edit:
    start = found.start + len(found.guard)
    return Edit(start, start + len(found.opcode), ".".join([opcode, *modifiers]))


def operands_start(found: Instruction) -> int:
    return found.start + len(found.guard) + len(found.opcode)


def operand_ranges(found: Instruction) -> list[tuple[int, int]]:
    """Start and end of each operand, at the outer commas."""
    start = operands_start(found)
    ranges, depth, begin = [], 0, 0
    for at, character in enumerate(found.operands + ","):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            operand = found.operands[begin:at]
            first = begin + len(operand) - len(operand.lstrip())
            ranges.append((start + first, start + begin + len(operand.rstrip())))
            begin = at + 1
    return [(first, last) for first, last in ranges if first < last]


def register_types(clean: str) -> dict[str, str]:
    """From a register's name, or from the stem of %r<9> as "%r<>", to its type."""
    types = {}
    for kind, names in REGISTERS.findall(clean):
        for name in names.split(","):
            types[re.sub(r"<\d+>", "<>", name.strip())] = kind
    return types


def line_at(text: str, offset: int) -> str:
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    return text[start : end if end >= 0 else len(text)]


def ask(text: str, arch: str, ptxas: Path = PTXAS) -> str:
    """Empty if ptxas accepts the text, or else what it says first, or how it died."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        command = ["nice", str(ptxas), "-arch", arch, file.name, "-o", "/dev/null"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        said = (done.stdout + done.stderr).replace(file.name, "x.ptx").splitlines()
    if done.returncode == 0:
        return ""
    reasons = [line for line in said if "error" in line or "fatal" in line]
    return reasons[0] if reasons else f"exit status {done.returncode}"


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), sys.argv[4:])
