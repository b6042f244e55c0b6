"""The tools that are compared, each as something that is built for a case once and then asked many times.

An answer is a verdict with the numbers of states and of rules fired. They are comparable between the tools
when states are distinct states (orbits under exact symmetry) and rules fired are all enabled rule instances
of expanded states.
"""

import concurrent.futures
import dataclasses
import json
import os
import re
import shutil
import time

from measure import Run, read, run

PROMELA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "promela")
BUILD_LIMITS = (600, 4 << 30)


class Unfit(Exception):
    """A tool cannot do this case; the text says why."""


@dataclasses.dataclass
class Case:
    """A model with constants. Counts of a case without symmetry and of one with it are different cases."""

    model: str
    constants: dict
    symmetry: bool = False
    alone: bool = False  # too large for the peers
    states_max: int | None = None  # where to give up, for tools that can be told

    @property
    def name(self):
        values = ", ".join(f"{name} {value}" for name, value in self.constants.items())
        return (
            f"{os.path.basename(self.model)[:-2]} ({values})" if values else os.path.basename(self.model)[:-2]
        )

    def text(self):
        """The model's text with the constants written into it, for tools that cannot be told otherwise."""
        text = read(self.model)
        for name, value in self.constants.items():
            text, found = re.subn(
                rf"(?m)^(\s*(?:const\s+)?{name}\s*:\s*)[^;]*;", rf"\g<1>{value};", text, count=1
            )
            if not found:
                raise Unfit(f"{self.model} has no constant {name}")
        return text


@dataclasses.dataclass
class Answer:
    run: Run
    verdict: str
    states: int
    rules: int
    store_bytes: float | None = None  # bytes a state in the store, where the tool says it
    ranks: list | None = None  # figures of ranks, where the tool has ranks


def must_build(command, folder):
    done = run(command, folder, BUILD_LIMITS)
    if done.ended or done.code != 0:
        said = (done.errors + done.output).strip().splitlines()
        raise Unfit(f"{command[0]}: {done.ended or (said[0] if said else f'code {done.code}')}")


class Verify:
    """This project's checker. It compiles a model while it runs, so there is nothing to build apart."""

    def __init__(self, binary, label="verify", options=(), ranks=1, launch=None):
        self.binary, self.label, self.options, self.ranks, self.launch = binary, label, options, ranks, launch

    def build(self, case, folder):
        self.case, self.folder = case, folder
        os.makedirs(folder, exist_ok=True)
        return 0.0

    def ask(self, limits, cores):
        case, result = self.case, os.path.join(self.folder, "result.json")
        command = [
            self.binary,
            "check",
            os.path.abspath(case.model),
            "--symmetry",
            "exact" if case.symmetry else "off",
            "--progress",
            "off",
            "--quiet",
            "--json",
            result,
            *self.options,
        ]
        for name, value in case.constants.items():
            command += ["--const", f"{name}={value}"]
        if case.states_max:
            command += ["--max-states", str(case.states_max)]
        if self.launch:
            command = [*self.launch.format(ranks=self.ranks).split(), *command]
        else:
            command += ["--ranks", str(self.ranks)]
        if os.path.exists(result):
            os.remove(result)
        done = run(command, self.folder, limits, cores)
        try:
            said = json.loads(read(result))
            answer = Answer(
                done,
                said["verdict"],
                said["states"],
                said["rules_fired"],
                said["store_bytes_per_state"],
                said["rank_figures"],
            )
        except (ValueError, KeyError) as error:
            first = (done.errors.strip().splitlines() or [f"code {done.code}"])[0]
            raise Unfit(done.ended or f"no result: {first}") from error
        if self.launch:
            done.peak_bytes = sum(said["peak_bytes"])
        return answer


class SideBySide:
    """Two searches of one rank each that know nothing of each other, on two cores: how much of two cores' work this
    machine really gives. Its time is that of the slower one."""

    label, ranks = "two side by side", 2

    def __init__(self, binary):
        self.both = [Verify(binary), Verify(binary)]

    def build(self, case, folder):
        return sum(one.build(case, os.path.join(folder, str(at))) for at, one in enumerate(self.both))

    def ask(self, limits, cores):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = pool.map(lambda one, core: one.ask(limits, [core]), self.both, sorted(cores))
            return max(answers, key=lambda answer: answer.run.seconds)


class Rumur:
    """Rumur writes a verifier in C, which is built with the flags of its own driver, rumur-run."""

    # Mostly faster than the defaults: no packing, no traces, and a set that need not grow.
    TUNED = "--pack-state off --counterexample-trace off --scalarset-schedules off".split()
    TUNED += ["--set-capacity", str(256 << 20)]
    CFLAGS = ["-std=c11", "-O3", "-march=native", "-flto", "-fwhole-program", "-w"]

    def __init__(self, label, options=(), symmetry="exhaustive", threads=1, seconds_max=float("inf")):
        self.label, self.options, self.symmetry, self.threads = label, list(options), symmetry, threads
        self.seconds_max = seconds_max

    @staticmethod
    def installed():
        return bool(shutil.which("rumur") and shutil.which("gcc"))

    def build(self, case, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "model.m"), "w", encoding="utf-8") as file:
            file.write(case.text())
        begin = time.monotonic()
        must_build(
            [
                "rumur",
                "--quiet",
                "--threads",
                str(self.threads),
                "--symmetry-reduction",
                self.symmetry if case.symmetry else "off",
                "--output-format",
                "machine-readable",
                *self.options,
                "--output",
                "checker.c",
                "model.m",
            ],
            folder,
        )
        wide = ["-mcx16"] if os.uname().machine == "x86_64" else []
        must_build(["gcc", *self.CFLAGS, *wide, "checker.c", "-o", "checker", "-lpthread"], folder)
        return time.monotonic() - begin

    def ask(self, limits, cores):
        limits = (min(limits[0], self.seconds_max), limits[1])
        done = run(["./checker"], self.folder, limits, cores)
        summary = re.search(r'<summary states="(\d+)" rules_fired="(\d+)"', done.output)
        if done.ended or not summary:
            raise Unfit(done.ended or f"no summary, code {done.code}")
        verdict = {0: "holds", 1: "violated"}.get(done.code, "error")
        return Answer(done, verdict, int(summary.group(1)), int(summary.group(2)))


class Spin:
    """SPIN on a Promela text with the same atomic steps. No statement merging, so that steps stay steps."""

    def __init__(self, label, flags=(), reduces=False):
        self.label, self.flags, self.reduces = label, list(flags), reduces

    @staticmethod
    def installed():
        return bool(shutil.which("spin") and shutil.which("gcc"))

    @staticmethod
    def text_of(case):
        return os.path.join(PROMELA, os.path.basename(case.model)[:-2] + ".pml")

    def build(self, case, folder):
        if not os.path.exists(self.text_of(case)) or case.symmetry:
            raise Unfit("no Promela text of this case")
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        shutil.copy(self.text_of(case), os.path.join(folder, "model.pml"))
        constants = [f"-D{name}={value}" for name, value in case.constants.items()]
        begin = time.monotonic()
        must_build(["spin", *constants, "-o3", "-a", "model.pml"], folder)
        must_build(
            [
                "gcc",
                "-O3",
                "-march=native",
                "-w",
                "-DSAFETY",
                "-DMEMLIM=8000",
                *self.flags,
                "pan.c",
                "-o",
                "pan",
            ],
            folder,
        )
        taken = time.monotonic() - begin
        self.sizes = self.fitting_sizes()
        return taken

    def fitting_sizes(self):
        """pan sets its stack and its table apart at once. A first run, which nobody times, finds how large they
        must be, so that neither its time nor its memory suffers from a guess."""
        done = run(["./pan", "-m5000000", "-w22"], self.folder, BUILD_LIMITS)
        depth = re.search(r"depth reached (\d+)", done.output)
        stored = re.search(r"(\d+) states, stored", done.output)
        if done.ended or not (depth and stored):
            raise Unfit(done.ended or f"no summary, code {done.code}")
        return [f"-m{int(depth.group(1)) + 100}", f"-w{int(stored.group(1)).bit_length()}"]

    def ask(self, limits, cores):
        done = run(["./pan", *self.sizes], self.folder, limits, cores)
        stored = re.search(r"(\d+) states, stored", done.output)
        fired = re.search(r"(\d+) transitions", done.output)
        errors = re.search(r"errors: (\d+)", done.output)
        if done.ended or not (stored and fired and errors):
            raise Unfit(done.ended or f"no summary, code {done.code}")
        if "max search depth too small" in done.output:
            raise Unfit("the search was cut off at its depth")
        # pan counts the start state as a transition.
        return Answer(
            done,
            "violated" if int(errors.group(1)) else "holds",
            int(stored.group(1)),
            int(fired.group(1)) - 1,
        )
