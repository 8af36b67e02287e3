"""An engine that fails in one way: engine.py MODE [ARGUMENTS].

skips         skips every line
escapes       rejects every line, with escape sequences in the message
lost N FLAG MODEL...
              forwards N requests to the engine MODEL, then ends, creates the file FLAG and never starts again
every N MODEL...
              passes on the answers of the engine MODEL, but ends at every Nth question
quiet WHAT MODEL...
              passes on the answers of the engine MODEL, but skips all rows, or all lines that MODEL accepts or rejects
wavers EVERY MODEL...
              passes on the answers of the engine MODEL, but answers otherwise when it is asked about each EVERYth line for the
              first time
hangs FILE    writes to FILE its process id, that of a child, and that of a grandchild in a session of its own whose
              parent has ended; and never answers
bits, null, count, outcome, dies
              answers every row with a value that has too many bits, with null, with too few answers or
              with an unknown outcome; or dies on every request
"""

import json
import os
import subprocess
import sys
import time

MODE = sys.argv[1]
JUDGES = MODE in ("skips", "escapes", "hangs")
ABOUT = {"protocol": 1, "name": "failing", "version": "1.0", "abilities": ["judge"] if JUDGES else ["cases"]}


def say(response):
    print(json.dumps(response), flush=True)


def lost():
    requests, flag, model = int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    if os.path.exists(flag):
        sys.exit(9)
    inner = subprocess.Popen(model, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for line in sys.stdin.buffer:
        empty = b'"cases":[]' in line
        if b'"hello"' not in line and not empty:
            requests -= 1
        if requests < 0:
            open(flag, "w").close()
            sys.exit(9)
        inner.stdin.write(line)
        inner.stdin.flush()
        sys.stdout.buffer.write(inner.stdout.readline())
        sys.stdout.flush()


def passed_on(model):
    """Questions with the answers of the engine MODEL, which is called `failing` here."""
    inner = subprocess.Popen(model, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for line in sys.stdin.buffer:
        inner.stdin.write(line)
        inner.stdin.flush()
        response = json.loads(inner.stdout.readline())
        if "hello" in response:
            response["hello"]["name"] = "failing"
        yield json.loads(line), response


def every():
    asked, most = 0, int(sys.argv[2])
    for question, response in passed_on(sys.argv[3:]):
        asked += any(body.get("lines") or body.get("cases") for body in question.values())
        if asked == most:
            sys.exit(3)
        say(response)


def quiet():
    skips = {"skipped": "not today"}
    for _, response in passed_on(sys.argv[3:]):
        kind, body = next(iter(response.items()))
        if kind == "judged":
            what = {"valid": lambda of: of == "accepted", "breaches": lambda of: of != "accepted"}.get(sys.argv[2])
            body["outcomes"] = [skips if what and what(of) else of for of in body["outcomes"]]
        if kind == "executed" and sys.argv[2] == "rows":
            body["answers"] = [[skips for _ in answers] for answers in body["answers"]]
        say(response)


def wavers():
    known = set()
    for question, response in passed_on(sys.argv[3:]):
        if "judged" in response:
            outcomes = response["judged"]["outcomes"]
            for at, line in enumerate(question["judge"]["lines"]):
                new = line not in known
                known.add(line)
                if new and len(known) % int(sys.argv[2]) == 0:
                    outcomes[at] = {"rejected": "not today"} if outcomes[at] == "accepted" else "accepted"
        say(response)


def judge(body):
    if MODE == "hangs" and body["lines"]:
        child = subprocess.Popen(["sleep", "600"])
        away = subprocess.run(["sh", "-c", "setsid sleep 600 > /dev/null & echo $!"], stdout=subprocess.PIPE)
        with open(sys.argv[2], "a") as file:
            file.write(f"{os.getpid()}\n{child.pid}\n{int(away.stdout)}\n")
        time.sleep(600)
    words = {"skips": {"skipped": "not today"}, "escapes": {"rejected": "\x1b[31mred\x07 \u202eback"}}
    say({"judged": {"id": body["id"], "outcomes": [words.get(MODE, "accepted") for _ in body["lines"]]}})


def execute(body):
    rows = [len(case["case"]["rows"]) for case in body["cases"]]
    if MODE == "dies" and rows:
        sys.exit(3)
    wide = [
        {"returned": {"registers": ["f" * 40 for _ in case["case"]["outputs"]]}} for case in body["cases"]
    ]
    answer = {"bits": lambda at: wide[at], "outcome": lambda at: {"exploded": "yes"}}.get(MODE, lambda at: None)
    answers = [[answer(at)] * (count - (MODE == "count")) for at, count in enumerate(rows)]
    say({"executed": {"id": body["id"], "answers": answers}})


if MODE in ("lost", "every", "quiet", "wavers"):
    {"lost": lost, "every": every, "quiet": quiet, "wavers": wavers}[MODE]()
    sys.exit()
for message in sys.stdin:
    kind, body = next(iter(json.loads(message).items()))
    if kind == "hello":
        say({"hello": ABOUT})
    elif kind == "judge":
        judge(body)
    else:
        execute(body)
