#!/usr/bin/env python3
"""Runs the jobs of the published tables on proofs by components, and prints them as tables, ours beside theirs.

    benches/proofs.py [--verify target/release/verify] [--ranks 1] [--seconds 600] [JOB...]

Without jobs, all of jobs/proof. Seconds are processor seconds, user and system, of all ranks; with more than one rank,
the time on the clock is in brackets. A job that takes longer than --seconds is ended and told as such.
"""
import argparse
import glob
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAME = re.compile(r"(bits|local|meng)(\d*)_(.+)_(\d+)_(\w+)\.toml$")
PROTOCOLS = {
    "mux_sem": "MUX-SEM", "mux_sem_last": "MUX-SEM-LAST", "mux_sem_count": "MUX-SEM-COUNT", "german": "German",
    "peterson": "Peterson", "szymanski": "Szymanski", "bakery": "bakery", "philosophers": "philosophers",
}
CONCLUSIVE = {"holds": "yes", "violated": "yes", "unknown": "no"}


def processor():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(job, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        words = [options.verify, "run", job, "--ranks", str(options.ranks), "--quiet", "--json", path]
        before, begun = processor(), time.monotonic()
        subprocess.run([*words, "--time", f"{options.seconds}s"], stdout=subprocess.DEVNULL)
        spent, clock = processor() - before, time.monotonic() - begun
        with open(path) as file:
            return json.load(file), spent, clock


def number(value):
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:g}"


def row(job, options):
    """The cells of a job, by name."""
    paper, table, model, size, method = NAME.search(os.path.basename(job)).groups()
    with open(job, "rb") as file:
        published = tomllib.load(file).get("published", [])
    result, spent, clock = run(job, options)
    seconds = f"{spent:.2f}" + (f" ({clock:.2f})" if options.ranks > 1 else "")
    rounds = (result.get("proof") or {}).get("rounds") or []
    ours = {
        "refinements": len(rounds) - 1 if rounds else None,
        "predicates": rounds[-1]["predicates"] if rounds else None,
        "nodes": max((each["nodes"] for each in rounds), default=None),
    }
    first = published[0] if published else {}
    theirs = {**first, "nodes": first.get("bdd_nodes")}
    cells = [PROTOCOLS[model], size]
    if paper == "meng":
        cells = [table, *cells, method, f"{CONCLUSIVE[result['verdict']]} ({CONCLUSIVE[theirs['verdict']]})"]
        cells += [f"{seconds} ({number(theirs.get('seconds'))})"]
        if method == "tmmc":
            ours["refinements"] = ours["predicates"] = None
        names = ("refinements", "predicates", "nodes")
        both = [f"{number(ours[name])} ({number(theirs.get(name))})" for name in names]
        return cells + [cell.replace("– (–)", "–") for cell in both]
    times = [number(each["seconds"]) for each in published if "seconds" in each]
    return cells + [CONCLUSIVE[result["verdict"]], seconds, " / ".join(times) or "–"] + [
        number(ours[name]) for name in ("refinements", "predicates", "nodes")
    ]


HEADS = {
    "bits": ["protocol", "N", "proved", "processor s", "published s, sequential / 2 / 4 / 8 cores", "refinements",
             "predicates", "nodes"],
    "meng": ["table", "protocol", "N", "method", "conclusive (there)", "processor s (there s)", "refinements (there)",
             "predicates (there)", "nodes (there)"],
}


def order(job):
    paper, table, model, size, method = NAME.search(os.path.basename(job)).groups()
    return paper, table, model, int(size), method


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="*", help="job files; else all of jobs/proof")
    parser.add_argument("--verify", default=os.path.join(ROOT, "target/release/verify"), help="the binary to run")
    parser.add_argument("--ranks", type=int, default=1, help="ranks, as threads (1)")
    parser.add_argument("--seconds", type=int, default=600, help="most seconds of one job (600)")
    options = parser.parse_args(words)
    jobs = options.jobs or glob.glob(os.path.join(ROOT, "jobs/proof/*.toml"))
    before = None
    for job in sorted(jobs, key=order):
        paper = order(job)[0]
        head = HEADS.get(paper, HEADS["bits"])
        if paper != before:
            print(("" if before is None else "\n") + "| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
        before = paper
        print("| " + " | ".join(row(job, options)) + " |", flush=True)


main(sys.argv[1:])
