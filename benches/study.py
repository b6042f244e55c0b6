"""The page that benches/scaling writes: what was measured, the fitted cost model, what it predicts."""

import dataclasses
import os

import cost
import plot
from measure import csv, load, machine, markdown, median

HEAD = [
    "kind",
    "ranks",
    "states",
    "rules_fired",
    "seconds",
    "least",
    "most",
    "states_per_second",
    "speedup",
    "efficiency",
    "remote",
    "imbalance",
    "batch",
    "bytes_per_item",
    "processor_speedup",
]
# What a rank finds on a usual cluster: a fast interconnect shared by the 64 ranks of a machine.
CLUSTER = cost.Network("cluster: 3 µs, 200 MB/s for each rank", 3e-6, 200e6)


def search_of(name, points):
    """What the model needs to know of a search, from its runs on the fewest and on the most ranks."""
    base, last = points[0], points[-1]
    remote, batches = last.sum("successors_remote"), last.sum("batches_sent")
    size = last.sum("bytes_sent") / remote if remote else 32.0
    full = min(1000.0, (32 << 10) / size)
    pairs = last.ranks * (last.ranks - 1)
    flushes = max(0.0, (batches - remote / full) / pairs) if pairs else 0.0
    return cost.Search(
        name, base.states, base.sum("successors") / base.states, base.levels, size, full, flushes
    )


def predict(search, costs, networks, counts):
    """Efficiency for searches of three sizes, and for a fixed number of states a rank."""
    rows, lines = [], []
    for network in networks:
        for states, words in (
            (search.states, "this search"),
            (10**9, "a thousand million"),
            (10**11, "10^11"),
        ):
            bigger = dataclasses.replace(search, states=states)
            name = f"{words}: {states:,} states"
            line = [(n, cost.efficiency(bigger, costs, network, n)) for n in powers(max(counts))]
            lines.append((network, words, line))
            for n in counts:
                parts = cost.parts(bigger, costs, network, n)
                taken = sum(parts.values())
                rows.append(
                    [
                        network.name,
                        name,
                        n,
                        f"{taken:,.3g}",
                        f"{states / taken / 1e6:,.1f}",
                        f"{cost.efficiency(bigger, costs, network, n):.2f}",
                        max(parts, key=parts.get),
                    ]
                )
        line = [
            (n, cost.efficiency(dataclasses.replace(search, states=5_000_000 * n), costs, network, n))
            for n in powers(max(counts))
        ]
        lines.append((network, "5 million for each rank", line))
        rows += [
            [network.name, "5 million states for each rank", n, "", "", f"{dict(line)[n]:.2f}", ""]
            for n in counts
            if n in dict(line)
        ]
    return rows, lines


def powers(most):
    count, found = 1, []
    while count < most:
        found.append(count)
        count *= 2
    return found + [most]


def tell(rows):
    words = [
        "kind",
        "ranks",
        "states",
        "seconds",
        "states/s",
        "speed-up",
        "by processor time",
        "efficiency",
        "remote",
        "imbalance",
        "batch",
    ]
    shown = [
        [
            r[0],
            r[1],
            f"{r[2]:,}",
            f"{r[4]:.2f} ({r[5]:.2f}–{r[6]:.2f})",
            f"{r[7]:,.0f}",
            f"{r[8]:.2f}",
            "" if r[14] == "" else f"{r[14]:.2f}",
            f"{r[9]:.2f}",
            f"{r[10]:.2f}",
            f"{r[11]:.2f}",
            f"{r[12]:.0f}",
        ]
        for r in rows
    ]
    return markdown(words, shown)


ASSUMPTIONS = """## The cost model

`benches/cost.py` has the formula. A search of S states makes *b* successors a state; all but one of them are
duplicates, and the share (P − 1)/P travels. A rank pays for its states, for the items it sends and receives,
and for messages; the network may be slower than that; and no search is shorter than a message for each level.

Assumed:

- The owner hash spreads states evenly: the fullest rank has √(2 ln P · P / S) more than its share,
  relatively.
- A state costs the same on every rank and however many there are (docs/performance.md shows how flat it is).
- What a search pays for an item is *x* times what the exchange alone pays; *x* is fitted to the runs above
  (to the processor time of ranks that are threads, which other programs do not disturb, else to the seconds),
  the exchange's cost is a line through three sizes of items (`verify comm-check`, the same as `cargo bench
  --bench exchange`).
- A message costs its sender and receiver together one latency of processor time. Batches fill as they did in
  the run on the most ranks; those that were not full are as many for each pair of ranks as there, but never
  more than the items.
- Communication and work overlap; all ranks can send at the stated bandwidth at once. There is no congestion
  model, no slow machine, no waiting for a file system.
- Launching the ranks and reading the model are not counted.
- Nothing is known here about what happens between machines: the predictions for the cluster take its latency
  and bandwidth as given (`--network LATENCY_US,MB_S`), from `verify comm-check` on that cluster.

Credits bound what waits at a rank: 8 batches of 32 KiB of each kind from each other rank, 256 MiB of states at
1,024 ranks.
"""


PAGE = """# Scaling

Written by `benches/scaling`: {name}, ranks by: {how}, {repeat} round(s), medians with the least and the
greatest.{notes}

{facts}

## Measured

remote: the share of successors that belong to another rank; imbalance: the states that the busiest rank
expanded over the mean; batch: items a message. Speed-up is by states/s, from the fewest ranks; by processor
time: what it would be if every rank had a core to itself and never waited.

{measured}

![Speed-up]({speedup_plot})

{assumptions}
## Fitted

{fitted}

{fit_note}

{checked}

## Predicted

These are figures of the formula, not measurements.

{predicted}

![Predicted efficiency]({predicted_plot})
"""


def describe(search, costs, network):
    each = costs.of_item(search.item_bytes)
    return f"""- a state on one rank: {1e6 * costs.state:.2f} µs ({1 / costs.state:,.0f} states/s)
- an item through the exchange: {1e9 * costs.item:.0f} ns and {1e9 * costs.byte:.2f} ns a byte;
  {search.item_bytes:.0f} bytes an item: {1e9 * each:.0f} ns; x = {costs.x:.2f}
- successors a state: {search.successors_per_state:.2f}; duplicates among them: {search.duplicates:.0%}
- a full batch: {search.batch:.0f} items; batches that left earlier: {search.flushes:.0f} for each pair
- between two ranks here: {1e6 * network.latency:.1f} µs, {network.bandwidth / 1e6:,.0f} MB/s"""


def notes_on(points):
    """What makes the measured seconds less than they seem."""
    cores, text = len(os.sched_getaffinity(0)), ""
    if any(not fair(point) for point in points):
        text += f" Runs with more ranks than cores ({cores} a machine) are shown and not fitted."
    if load() > max(point.ranks for point in points) + 0.5:
        text += (
            f" Other programs were running (load {load():.1f}): processor time says more here than seconds."
        )
    return text


def note_on_fit(strong, weak):
    """What the table below the fit can show, and how far the predictions reach beyond it."""
    used = [point for point in strong if fair(point)]
    machines = len({figure["machine"] for figure in used[-1].figures})
    text = (
        f"One number, *x*, is fitted, to runs on up to {used[-1].ranks} ranks of {machines} machine(s);"
        " what is"
    )
    text += " predicted beyond is\nextrapolation."
    if sum(point.ranks > 1 for point in used) < 2:
        text += " With one such number of ranks, the strong rows agree by construction."
    return text + (" The weak rows are a search that the\nfit has not seen." if weak else "")


def fair(point):
    """Every rank had a core: all machines are taken to be like this one."""
    machines = len({figure["machine"] for figure in point.figures}) or 1
    return point.ranks <= machines * len(os.sched_getaffinity(0))


def check(points, costs, network):
    """Rows that compare the formula with runs of a search; a state costs what it does on the fewest ranks."""
    base, search = points[0], search_of(points[0].kind, points)
    own = dataclasses.replace(costs, state=base.ranks * base.work() / base.states)
    rows = []
    for point in filter(fair, points):
        said = cost.seconds(dataclasses.replace(search, states=point.states), own, network, point.ranks)
        measured = [f"{median(point.seconds):.2f}", f"{point.work():.2f}"]
        rows.append([point.kind, point.ranks, *measured, f"{said:.2f}"])
    return rows


def given_network(words):
    if not words:
        return CLUSTER
    latency, rate = map(float, words.split(","))
    name = f"given: {latency:g} µs, {rate:g} MB/s for each rank"
    return cost.Network(name, latency * 1e-6, rate * 1e6)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def speedups(strong, weak):
    lines = [("ideal", [(n, float(n)) for n in sorted({p.ranks for p in strong + weak})])]
    return lines + [
        (points[0].kind, [(p.ranks, p.row(points[0])[8]) for p in points])
        for points in (strong, weak)
        if points
    ]


def draw_speedup(name, strong, weak):
    return plot.draw(f"Speed-up, {name}", "ranks", "speed-up", speedups(strong, weak))


def study(options, name, strong, weak, exchange):
    """Fits, predicts, and writes the page with its plots and its CSV."""
    sizes, measured = exchange
    search, base = search_of(name, strong), strong[0]
    costs = cost.Costs(base.ranks * base.work() / base.states, *cost.line_through(sizes))
    costs.x = cost.fit([(search, p.ranks, p.work()) for p in strong if fair(p)], costs, measured)
    checked = check(strong, costs, measured) + (check(weak, costs, measured) if weak else [])
    other = given_network(options.network)
    networks = [measured, other] if options.launch else [other]
    predictions, lines = predict(search, costs, networks, options.predict)
    drawn = [(words, line) for network, words, line in lines if network is other]
    rows = [point.row(points[0]) for points in (strong, weak) for point in points]
    stem = os.path.splitext(options.out)[0]
    write(stem + ".csv", csv(HEAD, rows))
    write(stem + "_speedup.svg", draw_speedup(name, strong, weak))
    title = f"Predicted efficiency, {other.name}"
    write(stem + "_predicted.svg", plot.draw(title, "ranks", "efficiency", drawn))
    facts = machine([("verify", [options.verify, "--version"])])
    columns = ["network", "search", "ranks", "seconds", "million states/s", "efficiency", "most time goes to"]
    text = PAGE.format(
        name=name,
        how=options.launch or "threads of one process",
        repeat=options.repeat,
        notes=notes_on(strong + weak),
        facts="\n".join(f"- {key}: {what}" for key, what in facts),
        measured=tell(rows),
        assumptions=ASSUMPTIONS,
        fit_note=note_on_fit(strong, weak),
        fitted=describe(search, costs, measured),
        checked=markdown(["kind", "ranks", "measured s", "each rank worked s", "formula s"], checked),
        predicted=markdown(columns, predictions),
        speedup_plot=os.path.basename(stem) + "_speedup.svg",
        predicted_plot=os.path.basename(stem) + "_predicted.svg",
    )
    write(options.out, text)
