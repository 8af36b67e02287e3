"""An engine with one fault, and right otherwise.

hostile.py FAULT [FILE]: the fault happens on lines that contain `guilty`, on rows that are `bad`, and on launches with a
buffer that holds `bad0`. Each process adds its number to FILE, and that of each process that it leaves behind.
"""

import json
import os
import signal
import subprocess
import sys
import time

FAULT = sys.argv[1]
COUNT = 0


def note(process):
    if len(sys.argv) > 2:
        with open(sys.argv[2], "a") as file:
            file.write(f"{process}\n")


def leave_behind():
    """Leaves a process in a session of its own, whose parent has ended."""
    if os.fork() == 0:
        os.setsid()
        process = os.fork()
        if process == 0:
            os.execvp("sleep", ["sleep", "600"])
        note(process)
        os._exit(0)
    os.wait()


def say(response):
    print(json.dumps(response), flush=True)


def misbehave(response):
    """Commits the fault instead of, or in addition to, responding."""
    body = next(iter(response.values()))
    if FAULT in ("exits", "other-version"):
        print("something broke", file=sys.stderr)
        sys.exit(3)
    if FAULT == "dies":
        os.kill(os.getpid(), signal.SIGSEGV)
    if FAULT == "answers-and-dies":
        say(response)
        sys.exit(4)
    if FAULT == "leaves-a-child":
        subprocess.Popen(["sleep", "600"])
        sys.exit(5)
    if FAULT == "leaves-a-session":
        leave_behind()
        sys.exit(5)
    if FAULT == "hangs-beside-a-session":
        leave_behind()
        time.sleep(600)
    if FAULT == "eats":
        eaten = bytearray(400 << 20)
        time.sleep(600)
    if FAULT == "lets-a-child-eat":
        subprocess.run([sys.executable, "-c", "import time; eaten = bytearray(400 << 20); time.sleep(600)"])
    if FAULT == "hangs":
        time.sleep(600)
    if FAULT == "floods":
        while True:
            print("x" * 1000, end="")
    if FAULT == "floods-stderr":
        while True:
            print("x" * 1000, file=sys.stderr)
    if FAULT == "garbage":
        return print("Traceback: \0\x1b[31m not JSON", flush=True)
    if FAULT == "deep":
        return print("[" * 50000, flush=True)
    if FAULT == "twice":
        say(response)
    if FAULT == "other-id":
        body["id"] += 1000
    if FAULT == "other-kind":
        response = {"hello": ABOUT}
    if FAULT == "too-few":
        body.get("outcomes", [[]]).pop()
        body.get("answers", [[]]).pop()
    if FAULT == "too-many":
        body.get("outcomes", []).append("accepted")
        body.get("answers", []).append({"skipped": "more"} if "launched" in response else [])
    if FAULT == "half-a-line":
        print(json.dumps(response)[:20], end="", flush=True)
        os._exit(0)
    if FAULT == "chatters":
        print("compiling...", flush=True)
    say(response)


def answer(request):
    global COUNT
    COUNT += 1
    kind, body = next(iter(request.items()))
    if kind == "hello":
        say({"hello": ABOUT})
        if FAULT == "dies-after-hello":
            sys.exit(6)
        if FAULT == "reads-no-more":
            time.sleep(600)
        return
    if FAULT == "dies-now-and-then" and COUNT % 6 == 0:
        sys.exit(7)
    if kind == "judge":
        bad = any("guilty" in line for line in body["lines"])
        many = len(body["lines"]) > 1
        response = {"judged": {"id": body["id"], "outcomes": ["accepted"] * len(body["lines"])}}
    elif kind == "launch":
        bad = any(buffer["data"] == "bad0" for case in body["cases"] for buffer in case["buffers"])
        many = len(body["cases"]) > 1
        fine = {"returned": {"buffers": {"b": "0007"}}}
        response = {"launched": {"id": body["id"], "answers": [fine for _ in body["cases"]]}}
    else:
        rows = [row for case in body["cases"] for row in case["case"]["rows"]]
        bad, many = ["bad"] in rows, len(rows) > 1
        fine = {"returned": {"registers": ["7"]}}
        answers = [[fine for _ in case["case"]["rows"]] for case in body["cases"]]
        response = {"executed": {"id": body["id"], "answers": answers}}
    if FAULT == "refuses" and bad:
        response = {"error": {"id": body["id"], "message": "not this"}}
    if FAULT == "dies-of-many" and many:
        sys.exit(8)
    misbehave(response) if bad else say(response)


note(os.getpid())
ABOUT = {"protocol": 1, "name": "hostile", "version": "1.0", "abilities": ["judge", "cases", "modules"]}
if FAULT == "other-protocol":
    ABOUT["protocol"] = 99
if FAULT == "odd-name":
    ABOUT["name"] = "../hostile"
if FAULT == "new-ability":
    ABOUT["abilities"] += ["foresee"]
if FAULT == "other-version":
    ABOUT["version"] = f"1.{os.getpid()}"
if FAULT == "odd-version":
    ABOUT["version"] = "new"
if FAULT == "reads-nothing":
    time.sleep(600)
if FAULT == "starts-slowly":
    time.sleep(0.5)
if FAULT == "noisy":
    print("warning: " * 50000, file=sys.stderr)
for message in sys.stdin:
    answer(json.loads(message))
