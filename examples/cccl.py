#!/usr/bin/env python3
"""Holds NVIDIA's own inline assembly against the specification and a ptxas.

The headers `cuda/__ptx/instructions/` of libcu++ say beside each instruction from which PTX version and for which targets
it is. This script takes the instructions from the headers (the wheel `nvidia-cuda-cccl`, or any CUDA toolkit), asks
`ptx-conform judge` and `ptx-conform engine serve ptxas` about each of them, and shows who differs from whom: for the
version and the targets that the header states, for the version before, and for all targets that it does not state.

    pip install nvidia-cuda-cccl
    python3 examples/cccl.py                            # finds the wheel
    python3 examples/cccl.py --include /usr/local/cuda/include --ptxas 12.9 --modules /tmp/modules

Nothing of the headers is kept here: `--modules` writes their instructions as PTX modules, for `ptx-conform check`.

Exit codes: 0 the specification knows every instruction, and ptxas did with each what the specification and the known
divergences say; 1 it did not, or an instruction is not known; 2 something could not be asked.
"""

import argparse
import collections
import json
import re
import subprocess
import sys
import threading
from pathlib import Path

REGISTERS = {"h": ("%h", ".b16"), "r": ("%r", ".b32"), "l": ("%rd", ".b64"), "f": ("%f", ".f32"), "d": ("%fd", ".f64")}
DECLARATIONS = " ".join(f".reg {kind} {prefix}<300>;" for prefix, kind in REGISTERS.values())
# A value for each constant that a template parameter gives.
CONSTANTS = {"size": "128", "imm_reg_count": "64"}
STATEMENT = re.compile(r"/\*.*?\*/|\basm\b\s*(?:volatile\b\s*)?\(", re.DOTALL)
STATED = re.compile(r"PTX ISA (\d+)((?:,? SM_\d+[af]?)*)")


class Assembly:
    """One `asm` statement: where it is, its PTX, and what its header says that it needs."""

    def __init__(self, place, text, operands, stated):
        self.place, self.ptx, self.targets = place, *stated
        names = []
        for number, (constraint, expression) in enumerate(operands):
            kind = constraint.strip("=+&")
            if kind == "n":
                name = re.sub(r"^\W*_*|\..*", "", expression)
                names.append(CONSTANTS.get(name, "0"))
                continue
            names.append(f"{REGISTERS[kind][0]}{number}")
        line = re.sub(r"%(%|\d+)", lambda found: "%" if found[1] == "%" else names[int(found[1])], text)
        line = re.sub(r"//[^\n]*", "", line)
        self.line = re.sub(r"\s+", " ", line).strip()


def strings(text):
    """The C string literals of a text, joined."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
    return "".join(parts).replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')


def sections(text):
    """What stands between the colons of an `asm` statement, given the text after its opening parenthesis."""
    depth, start, quoted, found, at = 1, 0, False, [], 0
    while at < len(text):
        c = text[at]
        if quoted:
            at += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif text.startswith("//", at):
            at = text.index("\n", at)
        elif c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
            if depth == 0:
                return [*found, text[start:at]]
        elif c == ":" and depth == 1:
            found.append(text[start:at])
            start = at + 1
        at += 1
    raise ValueError("an asm statement does not end")


def read(header, root):
    """The statements of a header, each with what the comment before it states."""
    text = header.read_text()
    stated = (None, [])
    for match in STATEMENT.finditer(text):
        if match[0].startswith("/*"):
            comment = re.sub(r"\s*\n(?:\s*//)?\s*", " ", match[0])
            comment = re.sub(r"\s+", " ", comment)
            if said := STATED.search(comment):
                digits = said[1]
                stated = (f"{digits[:-1]}.{digits[-1]}", [target.lower() for target in re.findall(r"SM_\d+[af]?", said[2])])
            continue
        line = text.count("\n", 0, match.start()) + 1
        place = f"{header.relative_to(root)}:{line}"
        template, *rest = sections(text[match.end() :])
        operands = [found for part in rest[:2] for found in re.findall(r'"([=+&\w]*)"\s*\(([^"]*)\)', part)]
        yield Assembly(place, strings(template), operands, stated)


def find_headers(include):
    places = [Path(include)] if include else [Path(entry) / "nvidia" for entry in sys.path if entry]
    for place in places:
        for found in sorted(place.glob("**/cuda/__ptx/instructions")):
            return found
    sys.exit("no headers cuda/__ptx/instructions were found: pip install nvidia-cuda-cccl, or give --include")


class Program:
    """A command that answers lines of JSON in order."""

    def __init__(self, *command):
        self.command = command
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *requests):
        def write():
            for request in requests:
                self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()

        # Writes while this reads, so that neither side waits for the other forever.
        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        answers = []
        for _ in requests:
            line = self.process.stdout.readline()
            if not line:
                print(f"{' '.join(self.command)} ended early", file=sys.stderr)
                sys.exit(2)
            answers.append(json.loads(line))
        writer.join()
        return answers


def covers(stated, target):
    """Whether a target is one of those that a header states: SM_90 is sm_90 and everything later, SM_100f its family."""

    def parts(name):
        return re.fullmatch(r"sm_(\d+)([af]?)", name).groups()

    number, suffix = parts(target)
    for number_of, suffix_of in map(parts, stated):
        if not suffix_of and int(number) >= int(number_of):
            return True
        if suffix_of == "a" and target == f"sm_{number_of}a":
            return True
        family = number[:-1] == number_of[:-1] and int(number) >= int(number_of)
        if suffix_of == "f" and suffix and family:
            return True
    return not stated


class Question:
    """A statement in a PTX version and on a target; what the header, the specification and the ptxas say of it."""

    def __init__(self, assembly, ptx, target, stated, when):
        self.assembly, self.ptx, self.target, self.stated, self.when = assembly, ptx, target, stated, when
        self.spec = self.ptxas = None

    def __str__(self):
        return f"{self.assembly.line}  (PTX {self.ptx}, {self.target}, {self.assembly.place})"

    def valid(self):
        return {"valid": True, "invalid": False}.get(self.spec.get("verdict"))

    def expected(self):
        return self.spec.get("expected") == "accepts"

    def accepted(self):
        """None if the ptxas gave no verdict."""
        return None if "skipped" in self.ptxas else self.ptxas == "accepted"

    def rules(self):
        return ", ".join(self.spec["rules"]) or "valid"

    def message(self):
        """What the ptxas says, without what differs from line to line."""
        if self.ptxas == "accepted":
            return "accepted"
        return re.sub(r"\d+", "N", re.sub(r"'[^']*'", "'...'", self.ptxas["rejected"].splitlines()[0]))


def ask_spec(program, engine, questions):
    for question, answer in zip(
        questions,
        Program(program, "judge", "--engine", engine).ask(
            *(
                {"line": question.assembly.line, "ptx": question.ptx, "target": question.target, "declarations": DECLARATIONS}
                for question in questions
            )
        ),
    ):
        question.spec = answer


def ask_ptxas(engine, questions):
    batches = collections.defaultdict(list)
    for question in questions:
        batches[question.ptx, question.target].append(question)
    requests = [
        {
            "judge": {
                "id": number, "ptx": ptx, "target": target, "address_size": 64, "generate": False,
                "declarations": DECLARATIONS, "lines": [question.assembly.line for question in batch],
            }
        }
        for number, ((ptx, target), batch) in enumerate(batches.items())
    ]
    for answer, batch in zip(engine.ask(*requests), batches.values()):
        for question, outcome in zip(batch, answer["judged"]["outcomes"]):
            question.ptxas = outcome


def environments(program, engine, name, about):
    """For each target that the ptxas has: the PTX versions that both it and the specification have for it."""
    exit_ = Assembly("", "exit;", [], (None, []))
    questions = [Question(exit_, ptx, target, None, "") for target in about["targets"] for ptx in about["ptx"]]
    ask_spec(program, name, questions)
    ask_ptxas(engine, questions)
    have = collections.defaultdict(list)
    for question in questions:
        if question.valid() and question.accepted():
            have[question.target].append(question.ptx)
    return have


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--include", metavar="DIR", help="where the headers are; by default in the installed wheel")
    options.add_argument("--program", default="ptx-conform", help="the ptx-conform to ask")
    options.add_argument("--ptxas", default="13.5", metavar="VERSION", help="the ptxas to ask")
    options.add_argument("--modules", metavar="DIR", help="write the instructions as PTX modules")
    options.add_argument("--details", metavar="FILE", help="write every difference as a line of JSON")
    options = options.parse_args()

    root = find_headers(options.include)
    assemblies = [each for header in sorted(root.glob("**/*.h")) for each in read(header, root)]
    if options.modules:
        write_modules(assemblies, Path(options.modules))

    hello = {"hello": {"protocol": 1, "tool": "cccl.py"}}
    [about] = Program(options.program, "engine", "serve", "model").ask(hello)
    engine = Program(options.program, "engine", "serve", "ptxas", options.ptxas)
    [ptxas] = engine.ask(hello)
    name = f"{ptxas['hello']['name']}@{ptxas['hello']['version']}"
    have = environments(options.program, engine, name, about["hello"])
    lost = [target for target in about["hello"]["targets"] if target not in have]

    versions = about["hello"]["ptx"]
    questions = []
    for each in assemblies:
        for target, known in have.items():
            if each.ptx is None:
                questions.append(Question(each, known[-1], target, None, ""))
                continue
            stated = covers(each.targets, target)
            since = versions.index(each.ptx)
            ptx = next((ptx for ptx in known if versions.index(ptx) >= since), None)
            if ptx is None:
                continue
            when = "for a version and target that it states" if stated else "for a target that it does not state"
            questions.append(Question(each, ptx, target, stated, when))
            if stated and ptx == each.ptx and (before := versions[since - 1]) in known and since:
                questions.append(Question(each, before, target, False, "for the version before the one that it states"))
    ask_spec(options.program, name, questions)
    ask_ptxas(engine, questions)
    if lost:
        print(f"not asked for {', '.join(lost)}: {name} or the specification does not have them\n")
    sys.exit(show(assemblies, questions, name, options.details))


def write_modules(assemblies, directory):
    """A module for each version and first target, with an entry for each statement."""
    directory.mkdir(parents=True, exist_ok=True)
    modules = collections.defaultdict(list)
    for each in assemblies:
        modules[each.ptx or "9.0", (each.targets or ["sm_90"])[0]].append(each)
    for (ptx, target), members in sorted(modules.items()):
        lines = [f".version {ptx}", f".target {target}", ".address_size 64"]
        for number, each in enumerate(members):
            lines += [f"// {each.place}", f".entry k{number}() {{ {DECLARATIONS}", f"    {each.line}", "    ret;", "}"]
        (directory / f"{ptx}-{target}.ptx").write_text("\n".join(lines) + "\n")


def known(assemblies, questions):
    """Prints how many instructions the specification knows; returns whether it knows all."""
    answers = {question.assembly.place: question for question in reversed(questions)}
    total, unknown = 0, collections.Counter()
    for each in assemblies:
        question = answers.get(each.place)
        if question is None:
            print(f"warning: {each.place} states nothing that can be asked", file=sys.stderr)
            continue
        for one in question.spec.get("statements") or [question.spec]:
            total += 1
            if one.get("verdict") not in ("valid", "invalid"):
                line = re.sub(r"^@\S+ ", "", one.get("line", each.line))
                unknown[re.split(r"[ .;]", line)[0]] += 1
    count = total - unknown.total()
    print(f"{len(assemblies)} statements, {total} instructions; the specification knows {count} ({100 * count / total:.2f} %)")
    for opcode, number in unknown.most_common():
        print(f"  unknown: {opcode} ({number})")
    return not unknown


def show(assemblies, questions, name, details):
    """Prints who differs from whom; returns the exit code."""
    all_known = known(assemblies, questions)
    counts = collections.Counter()
    differences = collections.defaultdict(list)
    for question in questions:
        header = question.assembly.place.split("/")[-1].split(":")[0]
        if "error" in question.spec:
            differences["The specification cannot judge", header, question.spec["error"]].append(question)
            continue
        valid, accepted = question.valid(), question.accepted()
        if accepted is None:
            counts["unanswered"] += 1
            differences[f"{name} gave no verdict", header, question.ptxas["skipped"]].append(question)
        elif valid is not None:
            agrees = accepted == question.expected()
            counts["agreed" if agrees and valid == accepted else "listed" if agrees else "new"] += 1
            if not agrees:
                kind = f"{name} {'accepts' if accepted else 'rejects'}, unlike the specification with its divergences"
                differences[kind, header, f"{question.spec.get('divergence') or question.rules()}: {question.message()}"].append(question)
        if None not in (valid, question.stated) and valid != question.stated:
            kind = f"A header and the specification: {'valid' if valid else 'invalid'} {question.when}"
            differences[kind, header, question.rules()].append(question)
        if None not in (accepted, question.stated) and accepted != question.stated:
            kind = f"A header and {name}: {'accepted' if accepted else 'rejected'} {question.when}"
            differences[kind, header, question.message()].append(question)
    print(
        f"{len(questions)} questions to {name}: {counts['agreed']} times it does what the specification says, "
        f"{counts['listed']} times what a divergence lists, {counts['new']} times neither; {counts['unanswered']} without an answer"
    )
    last = None
    for (kind, header, why), of in sorted(differences.items()):
        if kind != last:
            total = sum(len(others) for (other, _, _), others in differences.items() if other == kind)
            print(f"\n## {kind} ({total})\n")
            last = kind
        places = {question.assembly.place for question in of}
        targets = sorted({question.target for question in of}, key=lambda target: (len(target.rstrip("af")), target))
        print(f"- {header}, {len(places)} statements on {' '.join(targets)}: {why}\n  `{of[0]}`")
    if details:
        with open(details, "w") as file:
            for (kind, header, why), of in sorted(differences.items()):
                for question in of:
                    file.write(json.dumps({"kind": kind, "header": header, "why": why, "question": str(question)}) + "\n")
    if counts["new"] or not all_known:
        return 1
    return 2 if counts["unanswered"] or any("cannot judge" in kind for kind, _, _ in differences) else 0


if __name__ == "__main__":
    main()
