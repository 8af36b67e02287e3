#!/usr/bin/env python3
"""The support matrix as a table for a compiler: each feature with the PTX versions and targets that have it.

    ptx-conform matrix add --no-engine --format json | python3 examples/feature_table.py
    ptx-conform matrix --format json | python3 examples/feature_table.py --language tablegen
"""

import argparse
import json
import re
import sys


def number(version):
    """`8.6` as 86, in the way of LLVM; `8.10` as 8010, since it has two digits."""
    major, minor = version.split(".")
    return int(major) * (10 if int(minor) < 10 else 1000) + int(minor)


def target(name):
    """The number of a target and its suffix: `sm_100a` is (100, "a")."""
    return re.fullmatch(r"sm_(\d+)([af]?)", name).groups()


def rows(matrix):
    for feature in matrix["features"]:
        manual = feature["manual"]
        if manual.get("ranges"):
            print(f"warning: {feature['name']} is left out: it is available irregularly", file=sys.stderr)
            continue
        yield feature["name"], manual["from"], manual.get("gone", [])


def cpp(matrix):
    def needs(requirements):
        each = ((number(of["ptx"]), *target(of["target"])) for of in requirements)
        return "{" + ", ".join(f"{{{ptx}, {sm}, '{suffix or ' '}'}}" for ptx, sm, suffix in each) + "}"

    yield "// {name, {{PTX version, SM, suffix}: any of them is enough}, {gone from}}"
    for name, since, gone in rows(matrix):
        yield f'{{"{name}", {needs(since)}, {needs(gone)}}},'


def tablegen(matrix):
    def predicate(of):
        sm, suffix = target(of["target"])
        arch = f"hasSM<{sm}>" if not suffix else f"hasSM{sm}{suffix}"
        return f"hasPTX<{number(of['ptx'])}>, {arch}"

    for name, since, gone in rows(matrix):
        either = " | ".join(f"[{predicate(of)}]" for of in since)
        but = "".join(f" and not [{predicate(of)}]" for of in gone)
        yield f"// {name}: {either}{but}"


LANGUAGES = {"c++": cpp, "tablegen": tablegen}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", choices=LANGUAGES, default="c++")
    language = LANGUAGES[parser.parse_args().language]
    matrix = json.load(sys.stdin)
    if matrix["version"] != 1:
        sys.exit(f"this reads version 1 of the matrix, and this is version {matrix['version']}")
    print(*language(matrix), sep="\n")


main()
