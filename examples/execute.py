#!/usr/bin/env python3
"""An engine that executes: loads from one-dimensional surfaces, and from global variables.

    ptx-conform engine check 'exec:python3 examples/execute.py'
"""

import json
import re
import sys

SULD = re.compile(r"suld\.b\.1d(?:\.v[24])?\.b(\d+)\.(zero|trap)\s+(.+),\s*\[\w+,\s*\{?\s*(%\w+)\s*\}?\s*\];")
LD = re.compile(r"ld\.global\.[bu](\d+)\s+(%\w+),\s*\[(%\w+)(?:\+(\d+))?\];")


def loaded(data, start, size, lanes):
    return [data[start + lane * size:][:size][::-1].hex() or "0" for lane in range(lanes)]


def suld(case, bits, clamp, registers, values, coordinate):
    data, size, lanes = bytes.fromhex(case["surface"]["data"]), int(bits) // 8, len(case["outputs"])
    if re.search(r"\b_\b", registers):
        return {"skipped": "sinks are not known"}
    x = values[coordinate] - (values[coordinate] >> 31 << 32)
    if x % (size * lanes):
        return {"skipped": "the manual does not define unaligned coordinates"}
    if 0 <= x <= len(data) - size * lanes:
        return {"returned": {"registers": loaded(data, x, size, lanes)}}
    return {"trapped": "out of bounds"} if clamp == "trap" else {"returned": {"registers": ["0"] * lanes}}


def ld(case, bits, values, address, offset):
    source = next(one for one in case["inputs"] if one["register"] == address)
    if source["holds"] != "address" or source["generic"]:
        return {"skipped": "this address is not known"}
    data = bytes.fromhex(next(one["data"] for one in case["variables"] if one["name"] == source["of"]))
    start, size = (values[address] + int(offset or 0)) % 2**64, int(bits) // 8
    if start % size or start + size > len(data):
        return {"trapped": "misaligned or out of bounds"}
    return {"returned": {"registers": loaded(data, start, size, 1)}}


def execute(case, row):
    values = {one["register"]: int(value, 16) for one, value in zip(case["inputs"], row)}
    if (line := SULD.fullmatch(case["line"])) and case["surface"]["geometry"] == "1d" and line[4] in values:
        return suld(case, *line.groups()[:3], values, line[4])
    if (line := LD.fullmatch(case["line"])) and line[3] in values:
        return ld(case, line[1], values, line[3], line[4])
    return {"skipped": "this line is not known"}


def answer(request):
    kind, body = next(iter(request.items()))
    if kind == "hello":
        about = {"protocol": 1, "name": "loads", "version": "1.0", "abilities": ["cases"]}
        return {"hello": about}
    if kind == "execute":
        cases = [one["case"] for one in body["cases"]]
        answers = [[execute(case, row) for row in case["rows"]] for case in cases]
        return {"executed": {"id": body["id"], "answers": answers}}
    return {"error": {"id": body["id"], "message": f"it cannot {kind}"}}


for message in sys.stdin:
    print(json.dumps(answer(json.loads(message))), flush=True)
