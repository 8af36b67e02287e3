#!/usr/bin/env python3
"""An engine that judges: it knows the queries of `suq`, and nothing else.

    ptx-conform engine check 'exec:python3 examples/judge.py'
    ptx-conform run suq --engine 'exec:python3 examples/judge.py'
"""

import json
import re
import sys

# Each query, and the PTX version that brought it.
QUERIES = {
    "width": (1, 5), "height": (1, 5), "depth": (1, 5), "channel_data_type": (2, 1),
    "channel_order": (2, 1), "array_size": (4, 1), "memory_layout": (4, 2),
}
STATEMENT = re.compile(r"(?:@!?[\w$%]+\s+)?suq((?:\.\w+)*)\s+[\w$%]+\s*,\s*\[\s*[\w$%]+\s*\]\s*;")


def judge(line, ptx):
    if not re.match(r"\s*(@\S+\s+)?suq\b", line):
        return {"skipped": "only suq is known"}
    statement = STATEMENT.fullmatch(line.strip())
    if not statement:
        return {"skipped": "these operands are not known"}
    query, *rest = statement[1].split(".")[1:] or [""]
    if query not in QUERIES:
        return {"rejected": f"unknown query .{query}"}
    if rest != ["b32"]:
        return {"rejected": "suq takes one query, then .b32"}
    if ptx < QUERIES[query]:
        return {"rejected": f".{query} needs a later PTX version"}
    return "accepted"


def answer(request):
    kind, body = next(iter(request.items()))
    if kind == "hello":
        about = {"protocol": 1, "name": "suq-judge", "version": "1.0", "abilities": ["judge"]}
        return {"hello": about}
    if kind == "judge":
        ptx = tuple(int(part) for part in body["ptx"].split("."))
        return {"judged": {"id": body["id"], "outcomes": [judge(line, ptx) for line in body["lines"]]}}
    return {"error": {"id": body["id"], "message": f"it cannot {kind}"}}


for message in sys.stdin:
    print(json.dumps(answer(json.loads(message))), flush=True)
