"""The page that benches/peers writes: a table for each section, means, and sentences about the aims."""

from measure import geometric_mean, markdown, median
from rows import kernel, own, peak, processor, wall
from tools import Rumur, SideBySide


def spread(values, form="{:.1f}"):
    """The median, and the least and the greatest where there is more than one."""
    text = form.format(median(values))
    if len(values) > 1:
        text += f" ({form.format(min(values))}–{form.format(max(values))})"
    return text


def seconds(value):
    return f"{value:.3f}" if value < 1 else f"{value:.2f}"


def mega(value):
    return f"{value / 1e6:.0f}"


def rate(row, label):
    return f"{row.middle(label, lambda a: a.states / wall(a)) / 1000:,.0f}"


class Page:
    """What is printed: text for people, one line of CSV for every run, and the sentences about the aims."""

    def __init__(self):
        self.parts, self.runs, self.verdicts, self.wrong = [], [], [], []

    def keep(self, rows):
        for row in rows:
            for label, answers in row.answers.items():
                for round_, a in enumerate(answers):
                    self.runs.append(
                        (
                            row.section,
                            row.case.name,
                            label,
                            round_ + 1,
                            a.verdict,
                            a.states,
                            a.rules,
                            wall(a),
                            processor(a),
                            kernel(a),
                            peak(a),
                            "" if a.store_bytes is None else a.store_bytes,
                            row.builds.get(label, 0.0),
                            row.differ or "",
                        )
                    )
            for label, why in row.unfit.items():
                self.runs.append(
                    (row.section, row.case.name, label, "", "none", "", "", "", "", "", "", "", "", why)
                )
            if row.differ:
                self.wrong.append(f"{row.section}: {row.case.name}: {row.differ}")

    def text(self, head, quick):
        parts = [head] + self.parts
        if self.verdicts and not quick:
            parts.append("## Aims\n\n" + "\n".join(self.verdicts))
        if self.wrong:
            parts.append("## Excluded\n\n" + "\n".join(f"- {line}" for line in self.wrong))
        return "\n\n".join(parts) + "\n"

    def aim(self, text, value, least):
        self.verdicts.append(
            f"- {text}: {value:.{1 if least > 2 else 2}f} (aim: at least {least:g}). {'Met' if value >= least else 'Not met'}."
        )

    def ceiling(self, text, value, most):
        self.verdicts.append(
            f"- {text}: {value:.2f} (aim: at most {most:.3g}). {'Met' if value <= most else 'Not met'}."
        )


# States beyond which two ranks must be much faster than one.
LARGE = 5_000_000

CSV_HEAD = [
    "section",
    "case",
    "tool",
    "round",
    "verdict",
    "states",
    "rules_fired",
    "seconds",
    "processor_seconds",
    "kernel_seconds",
    "peak_bytes",
    "store_bytes_per_state",
    "build_seconds",
    "note",
]


def flawed(row, width):
    return [row.case.name, "**excluded: " + row.differ + "**"] + [""] * (width - 2)


def compare(page, rows, title, words, aims):
    """A table of verify against the best variant of a peer, with means; `aims` are for the mean, for each and for memory, as
    many as there are."""
    head = [
        "model",
        "states",
        "verify s",
        "peer s",
        "peer",
        "ratio",
        "ratio of processor time",
        "verify k states/s",
        "peer k states/s",
        "verify MB",
        "peer MB",
        "memory, verify / peer",
        "peer's build s",
    ]
    table, ratios, memories, rates = [], {}, {}, []
    for row in rows:
        if row.differ:
            table.append(flawed(row, len(head)))
            continue
        peers = [label for label in row.answers if label != "verify"]
        fast, small = row.best(peers, wall), row.best(peers, peak)
        own = [row.case.name, f"{row.answers['verify'][0].states:,}", seconds(row.middle("verify", wall))]
        if not fast:
            why = "; ".join(f"{label}: {text}" for label, text in row.unfit.items())
            table.append(own + [f"none ({why})"] + [""] * (len(head) - 4))
            continue
        found = row.ratios(fast, "verify", wall)
        ratios[row.case.name] = median(found)
        rates.append(row.middle("verify", wall))
        memories[row.case.name] = row.middle("verify", peak) / row.middle(small, peak)
        seen = row.answers[fast][0].states
        note = fast if seen == row.answers["verify"][0].states else f"{fast}, {seen:,} states"
        note += "".join(f"; {label}: {text}" for label, text in row.unfit.items())
        table.append(
            own
            + [
                seconds(row.middle(fast, wall)),
                note,
                spread(found),
                spread(row.ratios(fast, "verify", processor)),
                rate(row, "verify"),
                rate(row, fast),
                mega(row.middle("verify", peak)),
                mega(row.middle(small, peak)),
                f"{memories[row.case.name]:.2f}",
                f"{row.builds[fast]:.1f}",
            ]
        )
    page.parts.append(f"## {title}\n\n{words}\n\n{markdown(head, table)}")
    if not ratios:
        return
    worst = min(ratios, key=ratios.get)
    heavy = max(memories, key=memories.get)
    page.parts.append(
        f"Geometric mean of the ratios: {geometric_mean(list(ratios.values())):.1f} over {len(ratios)}"
        f" models; worst {ratios[worst]:.1f} ({worst}). Memory: geometric mean"
        f" {geometric_mean(list(memories.values())):.2f} of the peer's, worst {memories[heavy]:.2f}"
        f" ({heavy})."
    )
    if aims:
        page.aim(f"{title}, geometric mean of the ratios", geometric_mean(list(ratios.values())), aims[0])
    if len(aims) > 1:
        page.aim(f"{title}, worst ratio ({worst})", ratios[worst], aims[1])
    if len(aims) > 2:
        page.ceiling(f"{title}, worst memory ratio ({heavy})", memories[heavy], aims[2])


def show_states(page, rows):
    compare(
        page,
        rows,
        "One rank, no symmetry",
        "Ratio: Rumur's wall-clock time over that of verify. The peer is the faster of Rumur's defaults and"
        f" of\n`{' '.join(Rumur.TUNED)}`; its memory is the smaller of both. k: thousand.",
        (15, 6, 1 / 3),
    )


def show_small(page, rows):
    compare(
        page,
        rows,
        "Smaller searches",
        "As above, with 300,000 to 600,000 states. The program with its code generator and MPI's libraries takes"
        " about 8 MB before it\nhas states to speak of; most of that is parts of files, which processes share.",
        (15, 6),
    )


def show_symmetry(page, rows):
    compare(
        page,
        rows,
        "One rank, with symmetry",
        "verify visits exactly one state of each orbit. The peer is the fastest of Rumur exhaustive, which"
        " does the\nsame, and heuristic, which is quicker for each state and visits more of them.",
        (5,),
    )


def show_spin(page, rows):
    compare(
        page,
        rows,
        "SPIN, on texts with the same atomic steps",
        "Promela texts in `benches/promela`, one statement or `d_step` for each rule. SPIN without partial"
        " order\nreduction, the same with `-DCOLLAPSE`, and with reduction (fewer states); the peer is the"
        " fastest. pan's\nstack and table are as large as a first, untimed run found that they must be.",
        (),
    )
    head = ["model", "variant", "states", "seconds", "k states/s", "MB", "bytes/state", "build s"]
    table = [
        [
            row.case.name,
            label,
            f"{answers[0].states:,}",
            spread([wall(a) for a in answers], "{:.2f}"),
            rate(row, label),
            mega(row.middle(label, peak)),
            f"{row.middle(label, peak) / answers[0].states:.0f}",
            f"{row.builds[label]:.1f}",
        ]
        for row in rows
        for label, answers in row.answers.items()
    ]
    page.parts.append(markdown(head, table))


def show_ranks(page, rows):
    head = [
        "model",
        "states",
        "verify, 1 rank s",
        "2 ranks s",
        "speed-up",
        "by processor time",
        "two searches at once",
        "by MPI",
        "owner by hash",
        "remote successors",
        "owner by hash",
        "rumur, 2 threads: speed-up",
        "2 ranks / 2 threads: ratio",
    ]
    table, speedups, large = [], [], {}
    for row in rows:
        if row.differ:
            table.append(flawed(row, len(head)))
            continue

        def ratio(upper, lower, times=1):
            known = row.answers.get(upper) and row.answers.get(lower)
            return spread([times * r for r in row.ratios(upper, lower, wall)], "{:.2f}") if known else "–"

        def remote(label):
            figures = row.answers[label][0].ranks
            return sum(f["successors_remote"] for f in figures) / max(1, sum(f["successors"] for f in figures))

        speedups.append(median(row.ratios("verify", "verify 2 ranks", wall)))
        if row.answers["verify"][0].states > LARGE:
            large[row.case.name] = speedups[-1]
        table.append(
            [
                row.case.name,
                f"{row.answers['verify'][0].states:,}",
                seconds(row.middle("verify", wall)),
                seconds(row.middle("verify 2 ranks", wall)),
                ratio("verify", "verify 2 ranks"),
                spread([2 * r for r in row.ratios("verify", "verify 2 ranks", processor)], "{:.2f}"),
                ratio("verify", SideBySide.label, 2),
                ratio("verify", "verify 2 ranks, MPI"),
                ratio("verify", "verify 2 ranks, hash"),
                f"{remote('verify 2 ranks'):.2f}",
                f"{remote('verify 2 ranks, hash'):.2f}",
                ratio("rumur tuned", "rumur 2 threads"),
                ratio("rumur 2 threads", "verify 2 ranks"),
            ]
        )
    page.parts.append(
        "## Two ranks\n\nOne rank on one core against two ranks on two cores, as threads, by MPI, and as threads "
        "with `--expand owner --owner hash`.\nBy processor time: what the speed-up would be if both ranks had a core to "
        "themselves and never waited.\nTwo searches at once: two of one rank each, on two cores, against one alone. Two cores "
        "of this machine do so many times\nthe work of one (2 where they share nothing), and two ranks can hardly gain more.\n\n"
        f"{markdown(head, table)}"
    )
    if speedups:
        page.parts.append(f"Geometric mean of the speed-ups: {geometric_mean(speedups):.2f}.")
    if large:
        worst = min(large, key=large.get)
        page.aim(f"Two ranks, least speed-up with more than 5 million states ({worst})", large[worst], 1.7)


def show_store(page, rows):
    labels = ["40 bits", "48 bits", "56 bits", "64 bits", "whole states"]
    table = [
        (
            flawed(row, 2 + len(labels))
            if row.differ
            else [row.case.name, f"{row.answers[labels[0]][0].states:,}"]
            + [f"{row.middle(label, lambda a: a.store_bytes):.1f}" for label in labels]
        )
        for row in rows
    ]
    page.parts.append(
        "## Bytes a state in the visited store\n\nWhat the store holds at the end, divided by the states. "
        "The default is 56 bits.\n\n"
        + markdown(["model", "states"] + labels, table)
    )
    good = [row for row in rows if not row.differ]
    if good:
        for label, most in (("40 bits", 6.5), ("56 bits", 8.5)):
            worst = max(good, key=lambda row: row.middle(label, lambda a: a.store_bytes))
            page.ceiling(
                f"Bytes a state at {label} ({worst.case.name})",
                worst.middle(label, lambda a: a.store_bytes),
                most,
            )


def show_flat(page, rows):
    """What a further state costs from each size to the next: what is spent once, at the start, drops out."""
    head = [
        "states",
        "rules fired a state",
        "seconds",
        "processor seconds",
        "processor µs a further state",
        "without the kernel's",
        "peak MB",
        "peak bytes a further state",
    ]
    table, costs, sizes, before = [], [], [], None
    for row in rows:
        if row.differ:
            table.append(flawed(row, len(head)))
            continue
        figures = (lambda a: a.states, processor, own, peak, wall, lambda a: a.rules)
        states, taken, alone, bytes_, walls, rules = (row.least("verify", figure) for figure in figures)
        further = ["–", "–", "–"]
        if before:
            more = states - before[0]
            costs.append([(now - then) / more for now, then in zip((taken, alone), before[1:])])
            further = [f"{1e6 * cost:.3f}" for cost in costs[-1]] + [f"{(bytes_ - before[3]) / more:.1f}"]
        table.append(
            [f"{states:,.0f}", f"{rules / states:.2f}", seconds(walls), seconds(taken)]
            + [further[0], further[1], mega(bytes_), further[2]]
        )
        before = (states, taken, alone, bytes_)
        sizes.append(states)
    page.parts.append(
        "## Cost of a state as the search grows\n\nbenches/counters.m, one rank: every state has five successors,"
        " however many states there are.\nLeast of all rounds, each of which has every size. What the kernel does is mostly"
        " to hand out memory, which a virtual machine\nmay first have to get from its host, as often as it is needed again:"
        f" up to two seconds for a GiB.\n\n{markdown(head, table)}"
    )
    beyond = costs[1:]
    if len(beyond) > 1:
        dearest = [max(each) / min(each) for each in zip(*beyond)]
        about = f"Dearest further state over the cheapest, beyond {sizes[1]:,.0f} states, by processor time"
        page.ceiling(f"{about} without the kernel's", dearest[1], 1.25)
        page.ceiling(f"{about}, all of it", dearest[0], 1.25)
        about = f"All of it, beyond {sizes[0]:,.0f} states, of which the first are in the processor's caches"
        page.ceiling(about, max(costs)[0] / min(costs)[0], 1.25)


def show_memory(page, rows):
    """Peak memory where it is mostly for states."""
    head = ["model", "states", "verify MB", "bytes a state", "peer MB", "bytes a state", "memory, verify / peer"]
    table, ratios = [], {}
    for row in rows:
        if row.differ:
            table.append(flawed(row, len(head)))
            continue
        states = row.answers["verify"][0].states
        cells = [row.case.name, f"{states:,}"]
        for label in ("verify", "rumur"):
            bytes_ = row.middle(label, peak) if label in row.answers else None
            cells += [mega(bytes_), f"{bytes_ / states:.1f}"] if bytes_ else [row.unfit.get(label, "–"), "–"]
        if "rumur" in row.answers:
            ratio = row.middle("verify", peak) / row.middle("rumur", peak)
            ratios[row.case.name] = (ratio, states)
            cells.append(f"{ratio:.2f}")
        table.append(cells + ["–"] * (len(head) - len(cells)))
    page.parts.append(
        "## Peak memory of larger searches\n\nOne rank, no symmetry; resident memory of the whole process at most. The"
        f" peer is Rumur with its defaults.\n\n{markdown(head, table)}"
    )
    for least, words in ((2_000_000, "two million"), (0, "one million")):
        large = {name: ratio for name, (ratio, states) in ratios.items() if states >= least}
        if large:
            heavy = max(large, key=large.get)
            page.ceiling(f"Searches of {words} states and more, worst memory ratio ({heavy})", large[heavy], 1 / 3)


SHOW = {
    "states": show_states,
    "small": show_small,
    "symmetry": show_symmetry,
    "spin": show_spin,
    "ranks": show_ranks,
    "store": show_store,
    "flat": show_flat,
    "memory": show_memory,
}
