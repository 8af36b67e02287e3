#!/usr/bin/env python3
"""Writes one file of many lines from the real PTX of corpus/kernels, to see how fast `check` reads it and in how much memory.

    python3 benches/million.py 1000000 /tmp/million.ptx
    /usr/bin/time -v ptx-conform check /tmp/million.ptx

The files for targets up to sm_90a follow each other without their headers and debug sections, again and again, with other
names for their functions and variables each time.
"""

import re
import sys
from pathlib import Path

TARGETS = {"sm_70", "sm_75", "sm_80", "sm_90", "sm_90a"}
# The names that other files may have as well: functions with a body or none, and variables of the module.
FUNCTION = re.compile(r"^(?:\.(?:visible|weak|extern|common)\s+)*\.(?:entry|func)\s*(?:\([^)]*\)\s*)?([\w$]+)", re.MULTILINE)
VARIABLE = re.compile(r"^(?:\.(?:visible|weak|extern|common)\s+)*\.(?:global|const|shared)\b[^;=\[]*?([\w$]+)\s*(?:\[|=|;)", re.MULTILINE)
EXTERNAL = re.compile(r"^\.extern \.func[^;]*;", re.MULTILINE)
HEADER = re.compile(r"^\.(?:version|target|address_size).*\n", re.MULTILINE)
DEBUG = re.compile(r"^\t?\.(?:file|section)\b.*\n(?:\{[^}]*\}\n)?", re.MULTILINE)
# What the driver provides keeps its name.
PROVIDED = ("vprintf", "malloc", "free")


def modules(directory):
    """The bodies of the files, each with the pattern of its names."""
    for path in sorted(directory.glob("*.ptx")):
        text = path.read_text()
        if re.search(r"^\.target (\w+)", text, re.MULTILINE)[1] not in TARGETS:
            continue
        text = DEBUG.sub("", HEADER.sub("", text)).split(".section")[0]
        names = {name for name in FUNCTION.findall(text) + VARIABLE.findall(text) if not name.startswith(PROVIDED)}
        # A short name may be the name of a register or label as well.
        if all("_" in name for name in names):
            longest_first = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))
            yield text, re.compile(rf"(?<![\w$.%])({longest_first})(?![\w$])") if names else None


def main():
    wanted, path = int(sys.argv[1]), Path(sys.argv[2])
    bodies = list(modules(Path(__file__).parent.parent / "corpus/kernels/ptx"))
    lines, copies = 3, 0
    with path.open("w") as file:
        file.write(".version 9.5\n.target sm_90a\n.address_size 64\n")
        while lines < wanted:
            for text, names in bodies:
                copies += 1
                if copies > len(bodies):
                    text = EXTERNAL.sub("", text)
                if names:
                    text = names.sub(lambda found: f"{found[1]}_{copies}", text)
                file.write(text)
                lines += text.count("\n")
                if lines >= wanted:
                    break
    print(f"{path}: {lines} lines, {copies} copies of {len(bodies)} files")


if __name__ == "__main__":
    main()
