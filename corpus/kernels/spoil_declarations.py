"""Spoils one declaration, directive, label, header line or call of a PTX file and asks ptxas whether it still accepts the file.

Usage: spoil_declarations.py COUNT SEED OUTPUT [FILE...]        (without files: all of ptx/ that are small enough)
Each line of OUTPUT is JSON: file, arch, line (from 1), statement, original, spoilt, kind, accepted, message. `original` is the lines of
the file that `spoilt` replaces; there may be several. The same arguments and files give the same spoilings.
"""

import random
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Callable, NamedTuple, Optional

from ptx_text import NOISE, blank
from spoil import HERE, LARGEST, OLDEST, Edit, ask, record

LONGEST = 1_500  # characters that one spoiling may replace
TRIES = 200  # for a kind of spoiling, until it fits a statement
LINKAGE = r"(?:\.(?:visible|extern|weak|common)\s+)?"
TUNING = ["maxntid", "reqntid", "minnctapersm", "maxnctapersm", "maxnreg", "reqnctapercluster", "maxclusterrank", "explicitcluster",
          "blocksareclusters", "noreturn"]
SPACES = [".global", ".shared", ".const", ".local", ".param", ".reg"]
TYPES = [f".{letter}{size}" for letter in "bus" for size in (8, 16, 32, 64)] + [
    ".f16", ".f32", ".f64", ".f16x2", ".bf16", ".b128", ".pred", ".texref", ".samplerref", ".surfref"]
LINKAGES = [".visible", ".extern", ".weak", ".common"]
WORDS = SPACES + TYPES + LINKAGES + [f".{word}" for word in TUNING] + [
    ".align", ".ptr", ".v2", ".v4", ".entry", ".func", ".pragma", ".attribute(.managed)", ".hidden", ".loc", ".file", ".section", ".alias",
    ".callprototype", ".branchtargets", ".version", ".target", ".address_size"]
NUMBERS = ["0", "1", "-1", "2", "3", "4", "7", "8", "16", "31", "32", "33", "64", "128", "255", "256", "1024", "65536", "4294967296",
           "0x10", "1.5", "0f3F800000", "18446744073709551616", "1 + 1", "x"]
NAMES = ["fresh", "$fresh", "%fresh", "_", "%tid", "%laneid", "1st", "a.b", "a b", "add", "WARP_SZ", "f\u00fcnf", "%", "$", ".x"]
PERFORMANCE = [".maxntid 128", ".maxntid 1, 2, 3", ".maxntid 0", ".reqntid 32, 1, 1", ".minnctapersm 2", ".maxnctapersm 2", ".maxnreg 32",
               ".reqnctapercluster 2", ".maxclusterrank 8", ".explicitcluster", ".blocksareclusters", ".noreturn", '.pragma "nounroll";',
               ".maxntid 1, 1, 1, 1", ".maxnreg", ".abi_preserve 8"]
VERSIONS = ["1.0", "1.4", "2.0", "2.3", "3.0", "3.2", "4.0", "4.3", "5.0", "6.0", "6.3", "6.5", "7.0", "7.1", "7.5", "7.8", "8.0", "8.3",
            "8.5", "8.8", "9.0", "9.3", "9.5", "9.6"]
TARGETS = ["sm_10", "sm_20", "sm_30", "sm_35", "sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100",
           "sm_100a", "sm_100f", "sm_120", "sm_120a", "sm_121", "sm_99", "compute_90", "sm_80, debug", "sm_80, texmode_independent"]
TOKEN = re.compile(r'"[^"\n]*"|(?<![\w$%])\.[A-Za-z_]\w*|[%$_A-Za-z][\w$]*|\d[\w.]*|[^\s\w]')


class Statement(NamedTuple):
    """A declaration, a directive, a label or a call."""

    kind: str
    start: int
    end: int


# Where statements of each kind are, in a text whose strings and comments are blank.
PATTERNS = {
    "header": re.compile(r"^[ \t]*\.(?:version|target|address_size)\b[^\n]*", re.MULTILINE),
    "file": re.compile(r"^[ \t]*\.file\b[^\n]*", re.MULTILINE),
    "loc": re.compile(r"^[ \t]*\.loc\b[^\n]*", re.MULTILINE),
    "section": re.compile(r"^[ \t]*\.(?:section\b[^\n{]*\{?|b(?:8|16|32|64)\s[^\n;]*$)", re.MULTILINE),
    "pragma": re.compile(r"\.pragma\b[^;]*;"),
    "alias": re.compile(r"\.alias\b[^;]*;"),
    "prototype": re.compile(r"[\w$]+\s*:\s*\.(?:callprototype|calltargets)\b[^;]*;"),
    "branchtargets": re.compile(r"[\w$]+\s*:\s*\.branchtargets\b[^;]*;"),
    "register": re.compile(r"(?<![(,\s])(?P<space>\s+)(?P<it>\.reg\b[^;()]*;)"),
    "variable": re.compile(LINKAGE + r"(?<![\w.])\.(?:global|const|shared|local|param)\b[^;()]*;"),
    "parameter": re.compile(r"(?<=[(,])\s*(?P<it>\.(?:param|reg)\b[^,()]*)(?=[,)])"),
    "entry": re.compile(LINKAGE + r"\.entry\b[^({;]*\(?"),
    "function": re.compile(LINKAGE + r"\.func\b[^{;]*[{;]"),
    "performance": re.compile(r"\.(?:" + "|".join(TUNING) + r")\b[^\n{}.;]*"),
    "label": re.compile(r"^[ \t]*[\w$%]+:(?!:)[^\S\n]*$", re.MULTILINE),
    "call": re.compile(r"\bcall(?:\.uni)?\s[^;]*;"),
    "brace": re.compile(r"[{}](?=[^\S\n]*$)", re.MULTILINE),
}


class DeclaringFile:
    """A file with its declarations and directives."""

    def __init__(self, path: Path):
        self.path = path
        self.text = path.read_text(errors="replace")
        self.clean = NOISE.sub(blank, self.text)
        self.of_kind: dict[str, list[Statement]] = defaultdict(list)
        for kind, pattern in PATTERNS.items():
            for match in pattern.finditer(self.clean):
                group = "it" if "it" in pattern.groupindex else 0
                start, end = match.start(group), match.end(group)
                start += len(match[group]) - len(match[group].lstrip())
                self.of_kind[kind].append(Statement(kind, start, end))
        self.arch = arch_of(self.clean)
        self.names = sorted(set(re.findall(r"(?<![\w.$%])[%$_A-Za-z][\w$]{2,}", self.clean)))

    def tokens(self, statement: Statement) -> list[re.Match]:
        return list(TOKEN.finditer(self.text, statement.start, statement.end))

    def of(self, statement: Statement, wanted: Callable[[str], object]) -> list[re.Match]:
        return [token for token in self.tokens(statement) if wanted(token.group())]


def arch_of(text: str) -> str:
    """The option for the target of a text, which keeps ptxas from generating code."""
    target = re.search(r"^\s*\.target\s+(?:sm|compute)_(\d+)([af]?)", text, re.MULTILINE)
    number, suffix = (int(target[1]), target[2]) if target else (OLDEST, "")
    return f"compute_{number}{suffix}" if number >= OLDEST else f"compute_{OLDEST}"


Spoiler = Callable[[random.Random, DeclaringFile, Statement], Optional[list[Edit]]]


def is_word(token: str) -> bool:
    return token[0] == "." and len(token) > 1


def is_name(token: str) -> bool:
    return token[0].isalpha() or token[0] in "%$_" and len(token) > 1


def is_number(token: str) -> bool:
    return token[0].isdigit()


def is_mark(token: str) -> bool:
    return len(token) == 1 and not token.isalnum()


def is_string(token: str) -> bool:
    return token[0] == '"'


def deleting(wanted: Callable[[str], object]) -> Spoiler:
    def spoil(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
        found = file.of(statement, wanted)
        return [cut(chance.choice(found))] if found else None
    return spoil


def doubling(wanted: Callable[[str], object]) -> Spoiler:
    def spoil(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
        found = file.of(statement, wanted)
        if not found:
            return None
        token = chance.choice(found)
        return [Edit(token.end(), token.end(), ("" if is_mark(token.group()) else " ") + token.group())]
    return spoil


def replacing(wanted: Callable[[str], object], choices: list[str]) -> Spoiler:
    def spoil(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
        found = file.of(statement, wanted)
        return [put(chance.choice(found), chance.choice(choices))] if found else None
    return spoil


def swapping(wanted: Callable[[str], object]) -> Spoiler:
    def spoil(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
        found = file.of(statement, wanted)
        if len(found) < 2:
            return None
        at = chance.randrange(len(found) - 1)
        one, other = found[at], found[at + 1]
        return [put(one, other.group()), put(other, one.group())]
    return spoil


def inserting(choices: list[str]) -> Spoiler:
    def spoil(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
        token = chance.choice(file.tokens(statement))
        return [Edit(token.start(), token.start(), chance.choice(choices) + " ")]
    return spoil


def other_name(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    found = file.of(statement, is_name)
    return [put(chance.choice(found), chance.choice(file.names))] if found and file.names else None


def numbers_in(brackets: str) -> Spoiler:
    opening, closing = map(re.escape, brackets)

    def spoil(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
        found = list(re.finditer(opening + r"(\s*\w*\s*)" + closing, file.clean[statement.start : statement.end]))
        if not found:
            return None
        match = chance.choice(found)
        start, end = statement.start + match.start(), statement.start + match.end()
        if chance.random() < 0.3:
            return [Edit(start, end, "")]
        number = chance.choice([match[1] + "0", "", *NUMBERS])
        return [Edit(start + 1, end - 1, number)]
    return spoil


def change_alignment(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    found = re.search(r"\.align\s+(\d+)", file.clean[statement.start : statement.end])
    if not found:
        return None
    start, end = statement.start + found.start(1), statement.start + found.end(1)
    if chance.random() < 0.2:
        return [Edit(statement.start + found.start(), end, "")]
    return [Edit(start, end, chance.choice(NUMBERS))]


def add_alignment(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    found = file.of(statement, lambda token: token in SPACES or token in TYPES)
    if not found:
        return None
    at = chance.choice(found).end()
    return [Edit(at, at, f" .align {chance.choice(['1', '2', '3', '8', '16', '256', '0', '-4'])}")]


def change_initial(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    text = file.clean[statement.start : statement.end]
    found = re.search(r"=\s*(\{?)([^;]*)", text)
    if not found:
        return None
    items = list(re.finditer(r"[^\s,{};]+", text[: found.end(2)][found.start(2) :]))
    if not items:
        return None
    item = chance.choice(items)
    start = statement.start + found.start(2) + item.start()
    return [Edit(start, start + len(item[0]), chance.choice([*NUMBERS, chance.choice(file.names), "{1}", "{", "", "1.0", f"{item[0]}, 9"]))]


def add_initial(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    if file.text[statement.end - 1] != ";" or "=" in file.text[statement.start : statement.end]:
        return None
    name, other = chance.choice(file.names), chance.choice(file.names)
    value = chance.choice(["1", "{1, 2}", "{}", "1.0", "0f3F800000", name, f"generic({other})"])
    return [Edit(statement.end - 1, statement.end - 1, f" = {value}")]


def add_size(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    found = file.of(statement, is_name)
    if not found:
        return None
    at = chance.choice(found).end()
    return [Edit(at, at, chance.choice(["[4]", "[]", "[0]", "[2][3]", "<4>", "<0>", "[-1]", "[][]"]))]


def add_linkage(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    linkage = re.match(LINKAGE, file.clean[statement.start : statement.end])
    return [Edit(statement.start, statement.start + linkage.end(), chance.choice([*LINKAGES, ""]) + " ")]


def add_performance(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    if statement.kind not in ("entry", "function", "performance"):
        return None
    at = file.clean.find("{", statement.start)
    return [Edit(at, at, chance.choice(PERFORMANCE) + "\n")] if at >= 0 else None


def duplicate(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    text = file.text[statement.start : statement.end]
    return [Edit(statement.end, statement.end, ("," if statement.kind == "parameter" else "") + "\n" + text)]


def delete(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    return [Edit(statement.start, statement.end, "")]


def delete_line(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    start = file.text.rfind("\n", 0, statement.start) + 1
    end = file.text.find("\n", statement.end)
    return [Edit(start, end, "")] if end >= 0 else None


def move_line(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    start = file.text.rfind("\n", 0, statement.start) + 1
    end = file.text.find("\n", statement.end) + 1
    to = end
    for _ in range(chance.randint(1, 8)):
        to = file.text.find("\n", to) + 1
        if to == 0:
            return None
    return [Edit(start, end, ""), Edit(to, to, file.text[start:end])] if end else None


def copy_elsewhere(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    """A copy of the statement, beside one of another kind."""
    kinds = sorted(kind for kind in file.of_kind if kind != statement.kind and file.of_kind[kind])
    other = chance.choice(file.of_kind[chance.choice(kinds)])
    return [Edit(other.end, other.end, "\n" + file.text[statement.start : statement.end] + "\n")]


def drop_item(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    found = re.compile(r",\s*[^,;(){}]+").finditer(file.clean, statement.start, statement.end)
    items = list(found)
    return [cut(chance.choice(items))] if items else None


def swap_items(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    items = list(re.compile(r"[^\s,;(){}=:][^,;(){}=:]*").finditer(file.clean, statement.start, statement.end))
    if len(items) < 2:
        return None
    at = chance.randrange(len(items) - 1)
    one, other = items[at], items[at + 1]
    return [put(one, other.group()), put(other, one.group())]


def split_word(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    found = file.of(statement, lambda token: len(token) > 2 and not is_string(token))
    if not found:
        return None
    token = chance.choice(found)
    at = chance.randrange(token.start() + 1, token.end())
    return [Edit(at, at, chance.choice([" ", "\n", "/**/", "_"]))]


def misspell(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    found = file.of(statement, is_word)
    if not found:
        return None
    token = chance.choice(found)
    at = chance.randrange(1, len(token.group()))
    word = token.group()[:at] + chance.choice(["", "x", "_", "1", token.group()[at].upper() * 2]) + token.group()[at + 1 :]
    return [put(token, word)]


def change_string(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
    found = file.of(statement, is_string)
    if not found:
        return None
    token = chance.choice(found)
    text = token.group()
    choices = [text[:-1], text[1:], text[1:-1], '""', '"other"', '"frequency 4"', '"frequency"', '"enable_smem_spilling"', text + text,
               "'x'", '"used_bytes_mask 0x3"', '"nounroll"', f"{text}, {text}", '"a\\"b"', "7"]
    return [put(token, chance.choice(choices))]


def change_header(pattern: str, choices: list[str]) -> Spoiler:
    expression = re.compile(pattern)

    def spoil(chance: random.Random, file: DeclaringFile, statement: Statement) -> Optional[list[Edit]]:
        found = expression.search(file.clean, statement.start, statement.end)
        return [Edit(found.start(1), found.end(1), chance.choice(choices))] if found else None
    return spoil


MARKS = [",", ";", ":", "(", ")", "[", "]", "{", "}", "<", ">", "=", ".", "@", "#", "-", "//", "/*"]
KINDS: dict[str, Spoiler] = {
    "delete-word": deleting(is_word), "double-word": doubling(is_word), "replace-word": replacing(is_word, WORDS),
    "swap-words": swapping(is_word), "add-word": inserting(WORDS), "misspell-word": misspell,
    "delete-number": deleting(is_number), "double-number": doubling(is_number), "replace-number": replacing(is_number, NUMBERS),
    "add-number": inserting(NUMBERS),
    "delete-name": deleting(is_name), "double-name": doubling(is_name), "rename": replacing(is_name, NAMES), "other-name": other_name,
    "swap-names": swapping(is_name),
    "delete-mark": deleting(is_mark), "double-mark": doubling(is_mark), "replace-mark": replacing(is_mark, MARKS),
    "add-mark": inserting(MARKS),
    "replace-type": replacing(lambda token: token in TYPES, TYPES), "replace-space": replacing(lambda token: token in SPACES, SPACES),
    "change-alignment": change_alignment, "add-alignment": add_alignment, "change-size": numbers_in("[]"), "change-range": numbers_in("<>"),
    "add-size": add_size, "change-initial": change_initial, "add-initial": add_initial, "change-linkage": add_linkage,
    "add-performance": add_performance, "duplicate": duplicate, "delete": delete, "delete-line": delete_line, "move-line": move_line,
    "copy-elsewhere": copy_elsewhere, "drop-item": drop_item, "swap-items": swap_items, "split-word": split_word,
    "change-string": change_string, "change-version": change_header(r"\.version\s+(\d+\.\d+)", VERSIONS),
    "change-target": change_header(r"\.target\s+(\S+)", TARGETS),
    "change-address-size": change_header(r"\.address_size\s+(\d+)", ["32", "16", "64.0", ""]),
}


def cut(token: re.Match) -> Edit:
    return Edit(token.start(), token.end(), "")


def put(token: re.Match, text: str) -> Edit:
    return Edit(token.start(), token.end(), text)


def main(count: int, seed: str, output: Path, names: list[str]) -> None:
    chance = random.Random(seed)
    corpus = DeclaringCorpus([Path(name) for name in names] or sorted((HERE / "ptx").glob("*.ptx")))
    if not corpus.by_kind:
        sys.exit("none of the files has declarations and is small enough")
    kinds, at, seen = sorted(KINDS), 0, set()
    with output.open("w") as out:
        while at < count and kinds:
            kind = kinds[at % len(kinds)]
            spoiling = next(filter(None, (corpus.spoil(chance, kind) for _ in range(TRIES))), None)
            if not spoiling or (spoiling["original"], spoiling["spoilt"]) in seen:
                kinds = kinds if spoiling else [other for other in kinds if other != kind]
                continue
            seen.add((spoiling["original"], spoiling["spoilt"]))
            record(spoiling, out)
            at += 1
    if at < count:
        print(f"only {at}: no kind finds more to spoil in these files", file=sys.stderr)


class DeclaringCorpus:
    """The files, by the kinds of statements that they have."""

    def __init__(self, paths: list[Path]):
        self.sound: dict[Path, bool] = {}
        self.by_kind: dict[str, list[DeclaringFile]] = defaultdict(list)
        for path in paths:
            if path.stat().st_size <= LARGEST:
                file = DeclaringFile(path)
                for kind in (kind for kind, found in file.of_kind.items() if found):
                    self.by_kind[kind].append(file)

    def spoil(self, chance: random.Random, kind: str) -> Optional[dict]:
        of = chance.choice(sorted(self.by_kind))
        file = chance.choice(self.by_kind[of])
        statement = chance.choice(file.of_kind[of])
        edits = KINDS[kind](chance, file, statement)
        text = file.text
        for edit in sorted(edits or [], reverse=True):
            text = text[: edit.start] + edit.text + text[edit.end :]
        if text == file.text or not self.is_sound(file):
            return None
        first = file.text.rfind("\n", 0, min(edit.start for edit in edits)) + 1
        last = len(file.text) - file.text.find("\n", max(edit.end for edit in edits))
        original, spoilt = file.text[first : len(file.text) - last], text[first : len(text) - last]
        if max(len(original), len(spoilt)) > LONGEST or last > len(file.text):
            return None
        return {
            "file": file.path.name, "arch": arch_of(text), "line": file.text.count("\n", 0, first) + 1, "statement": statement.kind,
            "original": original, "spoilt": spoilt, "kind": kind, "text": text,
        }

    def is_sound(self, file: DeclaringFile) -> bool:
        if file.path not in self.sound:
            self.sound[file.path] = not ask(file.text, file.arch)
        return self.sound[file.path]


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), sys.argv[4:])
