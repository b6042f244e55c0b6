"""What the measuring scripts share: one timed and guarded run, statistics, the machine, tables.

A run gives wall-clock seconds, processor seconds (the program's and, for it, the kernel's) and the peak resident memory that the kernel
counted for the process (wait4). A guard ends a run that exceeds its time or memory. Only the standard library
is used.
"""

import ast
import dataclasses
import math
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
import threading
import time


@dataclasses.dataclass
class Run:
    """One run of one program. `ended` is None, or why the guard ended it."""

    code: int
    seconds: float
    processor_seconds: float
    kernel_seconds: float
    peak_bytes: int
    output: str
    errors: str
    ended: str | None = None


def memory_of_group(group):
    """Resident bytes of all processes of a process group."""
    total = 0
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            total += int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    return total


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def leave_on_signals():
    """A TERM ends the script as an interrupt does, and with it the run that is under way."""

    def leave(number, _):
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGHUP, leave)


def guard(process, limits, over, reasons):
    """Ends the process's group when it needs more than its seconds or bytes; looks four times a second."""
    seconds_max, bytes_max = limits
    begin = time.monotonic()
    while not over.wait(0.25):
        if time.monotonic() - begin > seconds_max:
            reasons.append(f"more than {seconds_max:g} s")
        elif memory_of_group(process.pid) > bytes_max:
            reasons.append(f"more than {bytes_max / 2**30:.1f} GiB")
        else:
            continue
        end_group(process)
        return


# Starts a program, waits for it, and reports what the kernel counted. It stands between this process and the
# program because a child's peak memory begins at its parent's: this one is small (about 8 MB), and nothing less
# can be seen.
LAUNCHER = """
import os, sys, time
begin = time.monotonic()
child = os.fork()
if child == 0:
    os.close(int(sys.argv[1]))
    if sys.argv[2]:
        os.sched_setaffinity(0, set(map(int, sys.argv[2].split(","))))
    try:
        os.execvp(sys.argv[3], sys.argv[3:])
    except OSError as error:
        print(sys.argv[3] + ":", error.strerror, file=sys.stderr, flush=True)
        os._exit(127)
_, status, usage = os.wait4(child, 0)
code, processor = os.waitstatus_to_exitcode(status), (usage.ru_utime + usage.ru_stime, usage.ru_stime)
os.write(int(sys.argv[1]), repr((code, time.monotonic() - begin, *processor, usage.ru_maxrss)).encode())
"""


def run(command, folder, limits, cores=None):
    """Runs a command in a folder, on the given cores, within (seconds, bytes)."""
    out, err = os.path.join(folder, "run.out"), os.path.join(folder, "run.err")
    reasons, over = [], threading.Event()
    receive, send = os.pipe()
    with open(out, "wb") as output, open(err, "wb") as errors, open(receive, "rb") as figures:
        process = subprocess.Popen(
            [
                sys.executable,
                "-I",
                "-S",
                "-c",
                LAUNCHER,
                str(send),
                ",".join(map(str, cores or ())),
                *command,
            ],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            pass_fds=(send,),
            start_new_session=True,
        )
        os.close(send)
        watch = threading.Thread(target=guard, args=(process, limits, over, reasons), daemon=True)
        watch.start()
        try:
            said = figures.read().decode()
            process.wait()
        except BaseException:
            end_group(process)
            raise
        finally:
            over.set()
        watch.join()
    code, seconds, processor, kernel, peak_kib = ast.literal_eval(said) if said else (-9, 0.0, 0.0, 0.0, 0)
    return Run(
        code,
        seconds,
        processor,
        kernel,
        peak_kib * 1024,
        read(out),
        read(err),
        reasons[0] if reasons else None,
    )


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def median(values):
    return statistics.median(values)


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def first_line(command):
    """The first line that a program says about its version; None if it is not there."""
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = (said.stdout + said.stderr).strip().splitlines()
    return lines[0].strip() if lines else None


def machine(tools):
    """The machine in words: processor, cores, memory, system, compilers. No host name, no paths."""
    processor = re.search(r"model name\s*:\s*(.*)", read("/proc/cpuinfo"))
    total = re.search(r"MemTotal:\s*(\d+)", read("/proc/meminfo"))
    system = re.search(r'PRETTY_NAME="(.*)"', read("/etc/os-release"))
    kernel = ".".join(platform.release().split(".")[:2])
    facts = [
        ("processor", processor.group(1) if processor else platform.machine()),
        ("cores", str(len(os.sched_getaffinity(0)))),
        ("memory", f"{int(total.group(1)) / 2**20:.1f} GiB" if total else "unknown"),
        ("system", f"{system.group(1) if system else platform.system()}, Linux {kernel}"),
    ]
    facts += [(name, first_line(command) or "not installed") for name, command in tools]
    return facts


def load():
    """How busy the machine has been over the last minute, in cores."""
    return os.getloadavg()[0]


def markdown(head, rows):
    """A Markdown table: words to the left, everything else to the right."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def csv(head, rows):
    def cell(value):
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
        return '"' + text.replace('"', '""') + '"' if re.search(r'[",\n]', text) else text

    return "".join(",".join(cell(value) for value in row) + "\n" for row in [head, *rows])
