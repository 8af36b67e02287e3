"""Chooses statements of PTX files that together have every thing of all of them, and writes them to ptx/.

Usage: subset.py [FOLDER]      (default: generated/)
Things are: each opcode with each of its modifiers, and with all of them, where .u32 and .u64 count as one; with each shape of
its operands; with each guard; each directive with its words; each version, target and compiler with its options. Whole
stays the smallest file of each compiler with its options, if it has at most WHOLE lines. Then the choice is greedy: next
the function or declaration with the most new things for its lines. Of a function stay the statements with new things, as
they are, and what they need: declarations, labels, the functions and variables that they name. What is in ptx/ is
replaced, and ptxas must accept each new file. A thing that is lost ends it with an error.
"""

import heapq
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Iterator, NamedTuple

from ptx_text import GUARDED, LABEL, NOISE, blank, statements
from spoil import ask, register_types

HERE = Path(__file__).parent
OLDER = Path.home() / ".cache/ptx-conform/ptxas/12.9.86/ptxas"
WHOLE = 250  # lines
HEADER = re.compile(r".*?^\s*\.address_size\s+\d+[^\n]*\n", re.DOTALL | re.MULTILINE)
TOP = re.compile(r"[{};]|\.(?:entry|func|section)\b|^\s*\.file\b[^\n]*", re.MULTILINE)
FUNCTION = re.compile(r"\.(?:entry|func)\s*(?:\([^)]*\)\s*)?([\w$]+)")
DECLARED = re.compile(r"([%\w$]+(?:<)?)(?:\d+>)?\s*(?:\[[^\]]*\]\s*)*(?=[=,;]|$)")
LABELLED = re.compile(r"([\w$]+)\s*:(?!:)")
LISTED = re.compile(r"\s*\.(?:branchtargets|calltargets|callprototype)\b")
WORD = re.compile(r"(?<![\w$%])[.%]?[A-Za-z_$][\w$]*")
TOKEN = re.compile(r'"[^"]*"|%?[A-Za-z_$][\w$]*(?:\.[xyzwrgba]\b)?|(?<![\w.])\d[\w.]*|\.\w+(?:::\w+)*|\S')
DIRECTIVE = re.compile(r"(?:^|[;{(},:])\s*(\.[a-z][^;{(},\n]*|(?<=, )function_name\b)", re.MULTILINE)
Thing = tuple[str, ...]


class Part(NamedTuple):
    """A statement, the head or the end of a function, or a directive of the module."""

    text: str
    things: frozenset[Thing]
    names: frozenset[str]  # that it declares
    words: frozenset[str]  # that it has
    function: int  # its number; -1 outside of functions
    frame: bool  # the head or the end of a function
    section: bool

    @property
    def lines(self) -> int:
        return self.text.count("\n")


class Module:
    def __init__(self, path: Path):
        self.name, self.text = path.name, path.read_text()
        text = self.text
        clean = NOISE.sub(blank, text)
        header = HEADER.match(clean).group()
        self.header = "".join(line.rstrip() + "\n" for line in header.splitlines() if line.strip())
        self.things = header_things(path.name, clean)
        self.parts = list(parts(text, clean, len(header), register_types(clean)))
        if re.search(r"^\s*\.target\s.*\bdebug\b", header, re.MULTILINE):  # ptxas wants one section of debug information
            self.parts = [part._replace(words=part.words | {".debug_abbrev"}) if part.frame else part for part in self.parts]
        self.taken: set[int] = set()
        self.whole = False
        self.frames, self.known = defaultdict(set), defaultdict(set)
        for at, part in enumerate(self.parts):
            for name in part.names:
                self.known[name].add(at)
            if part.frame:
                self.frames[part.function].add(at)

    def everything(self) -> set[Thing]:
        return self.things.union(*(part.things for part in self.parts))

    def groups(self) -> Iterator[list[int]]:
        """The parts of each function, and each part outside."""
        functions = defaultdict(list)
        for at, part in enumerate(self.parts):
            functions[part.function if part.function >= 0 else (at,)].append(at)
        return iter(functions.values())

    def needed(self, at: int) -> set[int]:
        """A part and all that it needs."""
        needed, open_ = {at}, [at]
        while open_:
            part = self.parts[open_.pop()]
            found = {other for word in part.words for other in self.known[word]}
            found = {other for other in found if part.section or self.parts[other].function in (-1, part.function)
                     or self.parts[other].frame}
            found = found.union(*(self.frames[self.parts[other].function] for other in found | {at}
                                  if self.parts[other].function >= 0))
            open_ += sorted(found - needed)
            needed |= found
        return needed

    def wanted(self, group: list[int], missing: set[Thing]) -> tuple[set[int], set[Thing]]:
        """The parts to take of a group, and the missing things that they have."""
        taken, gained = set(), self.things & missing
        for at in group:
            if self.parts[at].things & missing - gained or (gained and not self.taken and not taken):
                taken |= self.needed(at)
                gained = gained.union(*(self.parts[other].things & missing for other in taken))
        return taken, gained

    def cost(self, parts: set[int]) -> int:
        header = 0 if self.taken else self.header.count("\n")
        return header + sum(self.parts[at].lines for at in parts - self.taken)

    def written(self) -> str:
        return self.text if self.whole else self.header + "".join(self.parts[at].text for at in sorted(self.taken))


def main(folder: Path) -> None:
    modules = [Module(path) for path in sorted(folder.glob("*.ptx"))]
    everything = set().union(*(module.everything() for module in modules))
    keep_whole(modules)
    choose(modules, everything.difference(*(module.everything() for module in modules if module.whole)))
    kept = {module.name: module.written() for module in modules if module.taken}
    (HERE / "ptx").mkdir(exist_ok=True)
    for old in (HERE / "ptx").glob("*.ptx"):
        old.unlink()
    for name, text in kept.items():
        (HERE / "ptx" / name).write_text(text)
    rejected = [f"{name}: {said}" for name, text in kept.items() if (said := rejection(text))]
    lost = everything.difference(*(Module(HERE / "ptx" / name).everything() for name in kept))
    lines, whole = sum(text.count("\n") for text in kept.values()), sum(module.whole for module in modules)
    print(f"{len(kept)} of {len(modules)} files, {whole} of them whole; {lines} lines; {len(everything)} things")
    if rejected or lost:
        sys.exit(f"ptxas rejects: {rejected}; not in what was written: {sorted(lost)}")


def rejection(text: str) -> str:
    """What the ptxas says that has the target: 13.5, or 12.9 for sm_50 to sm_72 and sm_101."""
    arch = re.search(r"^\s*\.target\s+(\w+)", text, re.MULTILINE)[1].replace("sm_", "compute_")
    said = ask(text, arch)
    return ask(text, arch, OLDER) if "is not defined for option 'gpu-name'" in said else said


def keep_whole(modules: list[Module]) -> None:
    makers = defaultdict(list)
    for module in modules:
        makers[next(thing for thing in module.things if thing[0] == "maker")].append(module)
    for made in makers.values():
        smallest = min(made, key=lambda module: (module.text.count("\n"), module.name))
        if smallest.text.count("\n") <= WHOLE:
            smallest.whole, smallest.taken = True, set(range(len(smallest.parts)))


def choose(modules: list[Module], missing: set[Thing]) -> None:
    """Takes parts until nothing is missing. A gain is reckoned again when its turn comes."""
    groups = [(module, group) for module in modules for group in module.groups()]
    queue = [(-float("inf"), at) for at in range(len(groups))]
    while missing:
        _, at = heapq.heappop(queue)
        module, group = groups[at]
        taken, gained = module.wanted(group, missing)
        if not gained:
            continue
        ratio = -len(gained) / max(1, module.cost(taken))
        if queue and ratio > queue[0][0]:
            heapq.heappush(queue, (ratio, at))
            continue
        module.taken |= taken
        missing = missing - gained
        # The rest of this file costs less now, for its header is there.
        queue = sorted((-float("inf") if groups[other][0] is module else ratio, other) for ratio, other in queue)


def parts(text: str, clean: str, at: int, types: dict[str, str]) -> Iterator[Part]:
    """The parts after the header. Comments between them are left out."""
    function = 0
    for start, brace, end in pieces(clean, at):
        if brace < 0:
            yield part_of(text, clean, (start, end), types)
            continue
        yield part_of(text, clean, (start, brace + 1), types, function, frame=True)
        for span in body(clean, brace + 1, end - 1):
            yield part_of(text, clean, span, types, function)
        yield part_of(text, clean, (end - 1, end), types, function, frame=True)
        function += 1


def pieces(clean: str, at: int) -> Iterator[tuple[int, int, int]]:
    """Start and end of each piece of the module, and where the body of a function begins (or -1)."""
    depth, start, brace, kind = 0, at, -1, ""
    for found in TOP.finditer(clean, at):
        token, ends = found.group().strip(), False
        if token == "{":
            brace = found.start() if depth == 0 else brace
            depth += 1
        elif token == "}":
            depth -= 1
            ends = depth == 0 and kind != ""
        elif depth == 0:
            ends = token == ";" or token.startswith(".file")
            kind = token if token in (".entry", ".func", ".section") else kind
        if ends:
            yield start, brace if token == "}" and kind != ".section" else -1, found.end()
            start, brace, kind = found.end(), -1, ""


def body(clean: str, at: int, limit: int) -> Iterator[tuple[int, int]]:
    """Start and end of each statement; a block is one, and a label is one unless a list follows it."""
    while at < limit:
        if clean[at].isspace() or clean[at] == ";":
            at += 1
            continue
        label = LABEL.match(clean, at, limit)
        if label and not LISTED.match(clean, label.end(), limit):
            end = label.end()
        elif clean[at] == "{":
            end = block_end(clean, at)
        elif clean.startswith((".loc", ".file"), at) and not clean.startswith(".local", at):
            end = clean.find("\n", at, limit)
        else:
            end = clean.find(";", at, limit) + 1
        yield at, end
        at = end


def block_end(clean: str, at: int) -> int:
    depth = 0
    for found in re.compile(r"[{}]").finditer(clean, at):
        depth += 1 if found.group() == "{" else -1
        if depth == 0:
            return found.end()
    raise ValueError("a block without an end")


def part_of(text: str, clean: str, span: tuple[int, int], types: dict[str, str], function: int = -1, frame: bool = False) -> Part:
    start, end = span
    code = clean[start:end]
    start += len(code) - len(code.lstrip())
    line, newline = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    first = line if not clean[line:start].strip() else start
    last = newline if newline >= 0 and not clean[end:newline].strip() else end
    section, code = ".section" in code, code.strip()
    quoted = NOISE.sub(lambda found: found.group() if found.group()[0] == '"' else blank(found), text[first:last])
    things = set(directive_things(quoted, section))
    if function >= 0 and not frame:
        things |= set(instruction_things(code, types))
    return Part(text[first:last].lstrip("\n") + "\n", frozenset(things), frozenset(names_of(code, section)), words_of(code),
                function, frame, section)


def names_of(code: str, section: bool) -> set[str]:
    location, function = re.match(r"\.(?:file\s+\d+|loc\s+\d+ \d+ \d+)", code), FUNCTION.search(code)
    if section:
        return set(LABELLED.findall(code)) | set(re.findall(r"\.section\s+(\.\w+)", code))
    if location:
        return {" ".join(location.group().split())}
    if function:
        return {function[1]}
    labels = set(LABELLED.findall(code)) if LABEL.match(code) else set()
    declaration = code.startswith(".") and not code.startswith(".pragma")
    return labels | (set(DECLARED.findall(code.split("=")[0])) if declaration else set())


def words_of(code: str) -> frozenset[str]:
    """With %r7 also "%r<", as its declaration has it; with a location its file, and the location of the call it was inlined into."""
    words = set(WORD.findall(code))
    numbered = {word.rstrip("0123456789") + "<" for word in words if word[-1].isdigit()}
    files = {f".file {number}" for number in re.findall(r"\.loc\s+(\d+)", code)}
    callers = {f".loc {place}" for place in re.findall(r"inlined_at\s+(\d+ \d+ \d+)", code)}
    return frozenset(words | numbered | files | callers)


def instruction_things(code: str, types: dict[str, str]) -> Iterator[Thing]:
    for start, end in statements(code, 0, len(code)):
        found = GUARDED.fullmatch(code, start, end)
        if found:
            opcode, *modifiers = found["opcode"].split(".")
            yield "instruction", ".".join(word if "::" in word else re.sub(r"\d+", "N", word) for word in [opcode, *modifiers])
            yield from (("modifier", opcode, modifier) for modifier in modifiers)
            yield "operands", opcode, shape(found["operands"], types)
            yield "guard", opcode, re.sub(r"[\w%$].*", "", (found["guard"] or "").strip())


def directive_things(quoted: str, section: bool) -> Iterator[Thing]:
    if section:
        yield from (("directive", word) for word in re.findall(r"(?<!\S)\.(?:section|b\d+)\b", quoted))
        return
    for found in DIRECTIVE.finditer(quoted):
        yield "directive", re.sub(r'%\w+', "name", shape(found[1], {})) if found[1][0] == "." else found[1]
    if re.search(r"=\s*\{", quoted):
        yield "directive", "= {"


def shape(text: str, types: dict[str, str]) -> str:
    """The text without what differs from one instruction or declaration to the next."""
    return " ".join(word_of(token, types) for token in TOKEN.findall(text))


def word_of(token: str, types: dict[str, str]) -> str:
    """A special register stays, for it is like a modifier."""
    if token[0] == '"':
        return re.sub(r'[ /].*', "", token)  # a path, or a pragma with its number
    if token[0].isdigit():
        return "float" if token[:2].lower() in ("0f", "0d") else "integer"
    if token == "_" or not re.match(r"[%$\w]", token):
        return token
    stem = token.split(".")[0]
    kind = types.get(stem) or types.get(stem.rstrip("0123456789") + "<>")
    if kind:
        return "predicate" if kind == "pred" else "register"
    return token if token[0] == "%" else "name"


def header_things(name: str, clean: str) -> set[Thing]:
    kernel, _, *made = name.removesuffix(".ptx").split(".", 2)
    maker = re.match(r"(?:clang|triton|every)(?=-)", kernel)
    header = re.findall(r"^\s*\.(?:version|target|address_size)\b[^\n]*", clean, re.MULTILINE)
    return {("header", " ".join(line.split())) for line in header} | {("maker", maker.group() if maker else "nvcc", *made)}


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "generated")
