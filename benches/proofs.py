#!/usr/bin/env python3
"""Runs the jobs of the published tables on proofs by components, and prints them as tables, ours beside theirs.

    benches/proofs.py [--verify target/release/verify] [--ranks 1] [--seconds 600] [JOB...]
    benches/proofs.py --speedup [--repeat 3] [--only TEXT]

Without jobs, all of jobs/proof. Seconds are processor seconds, user and system, of all ranks; with more than one rank,
the time on the clock is in brackets. A job that takes longer than --seconds is ended and told as such.

With --speedup, the larger instances on one rank, on two threads and on two processes under mpirun, in turn, --repeat times:
the least seconds on the clock, and how many times faster that is than one rank. The last columns are of two runs of one rank
each side by side, and how much work of one they do in its time: what two cores of the machine give at most. The machine
has to be idle.
"""
import argparse
import concurrent.futures
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
    # A run that did not end is published as such, in its place.
    times = [number(each["seconds"]) if "seconds" in each else "over BDD limit" for each in published]
    return cells + [CONCLUSIVE[result["verdict"]], seconds, " / ".join(times) or "–"] + [
        number(ours[name]) for name in ("refinements", "predicates", "nodes")
    ]


# What is run on one rank and on two: a name, the model, its size, more words.
LARGER = [
    ("MUX-SEM", "mux_sem", 2048, []),
    ("MUX-SEM, auxiliaries given", "mux_sem", 2048, ["--aux", "place[*] = Critical", "--aux", "place[*] = Release"]),
    ("MUX-SEM, tmmcir", "mux_sem", 300, ["--method", "tmmcir"]),
    ("German", "german", 10, []),
    ("German", "german", 12, []),
    ("Szymanski", "szymanski", 8, []),
    ("Szymanski", "szymanski", 9, []),
    ("Szymanski", "szymanski", 10, []),
    ("Peterson", "peterson", 6, []),
    ("philosophers", "philosophers", 10, []),
    ("philosophers", "philosophers", 16, []),
]
MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


def clocked(words):
    begun = time.monotonic()
    done = subprocess.run(words, stdout=subprocess.DEVNULL, env={**os.environ, **MPI})
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}")
    return time.monotonic() - begun


def side_by_side(words):
    """Seconds until two runs that know nothing of each other have both ended: what this machine's two cores really give."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return max(pool.map(clocked, [words, words]))


def speedup(options):
    print("| protocol | N | 1 rank s | 2 threads s | | 2 processes s | | two proofs at once s | |" + "\n" + "|---" * 9 + "|")
    for name, model, size, more in LARGER:
        if options.only and options.only not in f"{name} {size}":
            continue
        path = os.path.join(ROOT, f"models/proof/{model}.m")
        words = [options.verify, "prove", path, "--const", f"N={size}", "--quiet", *more]
        alone = [*words, "--ranks", "1"]
        ways = [
            lambda: clocked(alone), lambda: clocked([*words, "--ranks", "2"]), lambda: clocked(["mpirun", "-n", "2", *words]),
            lambda: side_by_side(alone),
        ]
        times = [[] for _ in ways]
        for turn in range(options.repeat):
            # The order turns, so that none of them always has the machine's slow moments.
            for at in range(turn, turn + len(ways)):
                times[at % len(ways)].append(ways[at % len(ways)]())
        # What else the machine does only ever adds to a time.
        one, threads, processes, both = map(min, times)
        cells = [name, f"{size:,}", f"{one:.2f}"]
        for seconds, work in [(threads, 1), (processes, 1), (both, 2)]:
            cells += [f"{seconds:.2f}", f"× {work * one / seconds:.2f}"]
        print("| " + " | ".join(cells) + " |", flush=True)


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
    parser.add_argument("--speedup", action="store_true", help="one rank against two, on the clock")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each way (3)")
    parser.add_argument("--only", help="with --speedup, instances whose name has this text")
    options = parser.parse_args(words)
    if options.speedup:
        return speedup(options)
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
