"""Finds the instructions of a PTX file. A file is read as PTX, but not checked."""

import re
from typing import Iterator, NamedTuple

NOISE = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
GUARDED = re.compile(r"(?P<guard>@!?[\w$%]+\s+)?(?P<opcode>[a-z][\w]*(?:(?:\.|::)[\w]+)*)(?P<operands>.*)", re.DOTALL)
LABEL = re.compile(r"\s*[\w$%]+\s*:(?!:)")


class Instruction(NamedTuple):
    start: int  # offset of the first character in the file, the guard included
    end: int  # offset of the semicolon
    guard: str
    opcode: str  # with its modifiers
    operands: str


def blank(match: re.Match) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def instructions(text: str) -> Iterator[Instruction]:
    """The instructions of all function bodies, in order. Strings and comments count as spaces."""
    text = NOISE.sub(blank, text)
    for body in function_bodies(text):
        for start, end in statements(text, *body):
            found = GUARDED.fullmatch(text, start, end)
            if found:
                yield Instruction(start, end, found["guard"] or "", found["opcode"], found["operands"])


def function_bodies(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of what stands between the outer braces of each .entry and .func."""
    depth, start, function = 0, 0, False
    for brace in re.finditer(r"[{}]|\.(?:entry|func)\b|;", text):
        if brace.group() == "{":
            if depth == 0:
                start = brace.end()
            depth += 1
        elif brace.group() == "}":
            depth -= 1
            if depth == 0 and function:
                yield start, brace.start()
                function = False
        elif brace.group() == ";":
            function = function and depth > 0
        elif depth == 0:
            function = True


def statements(text: str, at: int, limit: int) -> Iterator[tuple[int, int]]:
    """Start and end (the semicolon) of each statement that begins neither with a dot nor with a label."""
    while at < limit:
        label = LABEL.match(text, at, limit)
        if label:
            at = label.end()
            continue
        if text[at] in " \t\r\n{};":
            at += 1
            continue
        end = text.find(";", at, limit)
        if end < 0:
            return
        newline = text.find("\n", at, limit)
        if text.startswith((".loc", ".file", ".pragma"), at) and not text.startswith(".pragma", at):
            at = newline if newline > 0 else limit
            continue
        if text[at] != ".":
            yield at, end
        at = end + 1
