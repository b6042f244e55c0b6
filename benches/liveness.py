#!/usr/bin/env python3
"""What liveness costs: each check as a multiple of the search for safety alone, in time and in memory.

    benches/liveness.py [--verify target/release/verify] [--ranks 1,2] [--runs 1] [--large] [--case TEXT]

For each case the same state space is searched twice in a row with the same fingerprint bits and invariants: without liveness and
with one property. With --runs N the fastest of N counts. Of several instances of a property that differ only by names, one
is decided, as by default. On a busy machine the processor time says more than the time on the clock.
"""
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

QUIET = "quiescence stays in reach"
GERMAN = ("german", "an exclusive request is granted")
# Name, model with liveness, property, constants, options of the check, whether it is large. A check of another kind is
# one more line.
CASES = [
    ("response, German 4", *GERMAN, {"NODE_NUM": 4}, [], False),
    ("response, Peterson 5 weak", "peterson_weak", "who tries gets in", {"N": 5}, [], False),
    ("response, Peterson 5 strong", "peterson_strong", "who tries gets in", {"N": 5}, [], False),
    ("freedom, German 4", "german", QUIET, {"NODE_NUM": 4}, ["--symmetry", "off"], False),
    ("freedom, German 6 orbits", "german", QUIET, {"NODE_NUM": 6}, ["--symmetry", "exact"], False),
    ("freedom, FLASH 4", "flash", QUIET, {"NODE_NUM": 4}, ["--symmetry", "off"], False),
    ("freedom, FLASH 4 orbits", "flash", QUIET, {"NODE_NUM": 4}, ["--symmetry", "exact"], False),
    ("response, German 5", *GERMAN, {"NODE_NUM": 5}, [], True),
]
# Models whose safety is checked on a file of another name.
SAFETY = {"peterson_weak": "peterson", "peterson_strong": "peterson"}
SAME = ["--fingerprint-bits", "56", "--progress", "off", "--quiet"]
HEAD = ("ranks", "states", "safety s", "with s", "time x", "cpu x", "safety MiB", "with MiB", "memory x", "verdict")


def run(verify, words, runs):
    best = None
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            subprocess.run([verify, "check", *words, *SAME, "--json", path], stdout=subprocess.DEVNULL)
            result = json.load(open(path))
            result["cpu"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if best is None or result["seconds"] < best["seconds"]:
            best = result
    return best


def with_invariants(folder, liveness, safety):
    """The model with liveness, and the invariants of the one without: both runs then check the same invariants."""
    text = open(safety).read()
    invariants = text[text.index("\ninvariant \""):]
    path = os.path.join(folder, os.path.basename(liveness))
    with open(path, "w") as file:
        file.write(open(liveness).read() + invariants)
    return path, re.findall(r'^invariant "([^"]*)"', invariants, re.MULTILINE)


def show(name, cells):
    print(name.ljust(28) + "".join("  " + cell.rjust(max(8, len(head))) for cell, head in zip(cells, HEAD)), flush=True)


def main(words):
    def value(name, default):
        return words[words.index(name) + 1] if name in words else default

    if "--help" in words:
        sys.exit(__doc__.strip())
    verify, runs = value("--verify", "target/release/verify"), int(value("--runs", "1"))
    show("check", HEAD)
    for name, model, prop, constants, options, large in CASES:
        if large and "--large" not in words or value("--case", "") not in name:
            continue
        typed = [word for pair in constants.items() for word in ("--const", "%s=%s" % pair)]
        for ranks in value("--ranks", "1,2").split(","):
            common = [*typed, "--ranks", ranks]
            alone = f"models/{SAFETY.get(model, model)}.m"
            symmetry = "exact" if "exact" in options else "off"
            safety = run(verify, [alone, *common, "--symmetry", symmetry], runs)
            with tempfile.TemporaryDirectory() as folder:
                both, names = with_invariants(folder, f"models/liveness/{model}.m", alone)
                chosen = [word for each in [prop, *names] for word in ("--property", each)]
                check = run(verify, [both, *common, *chosen, *options], runs)
            if safety["states"] != check["states"]:
                sys.exit(f"{name}: {safety['states']} states without and {check['states']} with liveness")
            ratio = {key: check[key] / safety[key] for key in ("seconds", "cpu")}
            memory = [max(result["peak_bytes"]) / 2**20 for result in (safety, check)]
            show(name, (
                ranks, str(check["states"]), f"{safety['seconds']:.2f}", f"{check['seconds']:.2f}",
                f"{ratio['seconds']:.2f}", f"{ratio['cpu']:.2f}",
                f"{memory[0]:.0f}", f"{memory[1]:.0f}", f"{memory[1] / memory[0]:.2f}", check["verdict"],
            ))


main(sys.argv[1:])
