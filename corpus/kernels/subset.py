"""Chooses files of a folder with generated PTX that together have every instruction, kernel, target and version, and
copies them to ptx/.

Usage: subset.py FOLDER
Files with more than LARGEST bytes are left out. The choice is greedy: next the file with the most new things for its size.
"""

import re
import shutil
import sys
from pathlib import Path

from ptx_text import instructions

HERE = Path(__file__).parent
LARGEST = 120_000  # bytes
FILE = 3_000  # bytes that a further file counts


def main(folder: Path) -> None:
    texts = {path: path.read_text() for path in sorted(folder.glob("*.ptx"))}
    things = {path: things_of(path, text) for path, text in texts.items() if len(text) <= LARGEST}
    missing = set().union(*things.values())
    (HERE / "ptx").mkdir(exist_ok=True)
    while missing:
        best = max(things, key=lambda path: (len(things[path] & missing) / (len(texts[path]) + FILE), path.name))
        missing -= things[best]
        shutil.copy(best, HERE / "ptx" / best.name)


def things_of(path: Path, text: str) -> set[str]:
    header = re.findall(r"^\s*\.(?:target|version)\s+\S+", text, re.MULTILINE)
    return {found.opcode for found in instructions(text)} | set(header) | {path.name.split(".")[0]}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
