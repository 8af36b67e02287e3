"""Counts the instructions of all files in ptx/: opcodes.tsv (with modifiers, and an example) and opcodes.txt."""

from collections import Counter
from pathlib import Path

from ptx_text import instructions

HERE = Path(__file__).parent


def main() -> None:
    full, plain, example, files = Counter(), Counter(), {}, 0
    for path in sorted((HERE / "ptx").glob("*.ptx")):
        files += 1
        text = path.read_text()
        for found in instructions(text):
            full[found.opcode] += 1
            plain[found.opcode.split(".")[0]] += 1
            line = " ".join(text[found.start : found.end + 1].split())
            example.setdefault(found.opcode, f"{line}\t{path.name}")
    rows = (f"{opcode}\t{count}\t{example[opcode]}\n" for opcode, count in sorted(full.items()))
    (HERE / "opcodes.tsv").write_text("opcode\tcount\texample\tfile\n" + "".join(rows))
    (HERE / "opcodes.txt").write_text("".join(f"{opcode} {count}\n" for opcode, count in sorted(plain.items())))
    total = sum(full.values())
    print(f"{files} files, {total} instructions, {len(full)} distinct with modifiers, {len(plain)} opcodes")


if __name__ == "__main__":
    main()
