#!/usr/bin/env python3
"""Where the time of a search goes, by parts of the program: samples of `perf`, added up.

    benches/shares.py check models/german.m --const NODE_NUM=4 --symmetry off
    benches/shares.py --verify old/verify --verify new/verify check models/german.m    before, after and their ratio

Each binary runs in turn, on one rank and one core, `--repeat` times (5); a Markdown table of milliseconds a run and shares goes
to standard output. A sample belongs to the part that its innermost function is of. Code that the compiler put into another
function counts where it is: hashing, recent successors and asking for memory are in the loop.
"""

import argparse
import collections
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from measure import markdown  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLES_A_SECOND = 1999
# The first whose word is in a sample's file or function.
PARTS = [
    ("the kernel", "file", ["kernel"]),
    ("machine code: guards, actions, properties, hashes", "file", ["perf-", "[JIT]", "//anon", "[unknown]"]),
    ("copies and comparisons by the C library", "file", ["libc.so", "libc-"]),
    ("making machine code", "function", ["cranelift", "regalloc"]),
    ("canonical form", "function", ["canonical"]),
    ("around machine code", "function", ["compile::"]),
    ("store", "function", ["explore::compact", "explore::segment", "explore::spread", "explore::store", "explore::entries"]),
    ("loop, frontier, log, messages", "function", ["explore::", "exchange::", "property::"]),
]
REST = "the rest"


def part_of(file, function):
    for part, where, words in PARTS:
        if any(word in (file if where == "file" else function) for word in words):
            return part
    return REST


def samples(binary, words, core, folder):
    """One run's samples by part."""
    data = os.path.join(folder, "perf.data")
    record = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(SAMPLES_A_SECOND), "-o", data]
    command = record + ["taskset", "-c", str(core), binary, *words, "--ranks", "1"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    # A violation or a limit is as good a search as any.
    if done.returncode not in (0, 1, 4):
        sys.exit(f"shares: {' '.join(command)}: {done.stderr.strip()}")
    script = ["perf", "script", "-i", data, "-F", "ip,sym,dso"]
    found = subprocess.run(script, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    parts = collections.Counter()
    for line in found.stdout.splitlines():
        address, _, said = line.strip().partition(" ")
        function, _, file = said.rpartition(" (")
        if address and file:
            parts[part_of(file, function)] += 1
    return parts


def table(counts, repeat):
    """Rows of milliseconds and shares for one binary, or for two and their ratio."""
    known = [part for part, _, _ in PARTS] + [REST]
    rows = []
    for part in known + [None]:
        cells = []
        for count in counts:
            all_ = sum(count.values())
            here = all_ if part is None else count[part]
            cells += [f"{here * 1000 / SAMPLES_A_SECOND / repeat:.0f}", f"{100 * here / max(1, all_):.0f} %"]
        rows.append([part or "all"] + cells)
    names = [""] if len(counts) == 1 else ["before: ", "after: "]
    head = ["part"] + [f"{name}{what}" for name in names for what in ("ms", "share")]
    return markdown(head, rows)


def main(words):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--verify", action="append", help="the binary; a second one is compared with the first")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each (5)")
    parser.add_argument("words", nargs=argparse.REMAINDER, help="what verify is told")
    options = parser.parse_args(words)
    binaries = options.verify or [os.path.join(ROOT, "target/release/verify")]
    if len(binaries) > 2 or not options.words:
        parser.error("one or two binaries, and what they are told")
    if not shutil.which("perf"):
        print("shares: perf is not installed (Debian: linux-perf)", file=sys.stderr)
        return 3
    core, counts = max(os.sched_getaffinity(0)), [collections.Counter() for _ in binaries]
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.repeat):
            for binary, count in zip(binaries, counts):
                count.update(samples(os.path.abspath(binary), options.words, core, folder))
    print(table(counts, options.repeat))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
