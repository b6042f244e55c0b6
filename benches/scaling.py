#!/usr/bin/env python3
"""A table of speed-up and efficiency from the JSON results of runs on different numbers of ranks.

    benches/scaling.py scaling-*.json [--csv]

All results must be of the same model with the same number of states; the run with the fewest ranks is the base.
"""
import json
import sys


def main(words):
    paths = [word for word in words if not word.startswith("--")]
    if not paths:
        sys.exit(__doc__.strip())
    runs = sorted((json.load(open(path)) for path in paths), key=lambda run: run["ranks"])
    if len({(run["model"], run["states"], run["rules_fired"]) for run in runs}) != 1:
        sys.exit("scaling.py: the results are of different searches")
    base = runs[0]
    rows = [("ranks", "seconds", "states/s", "speed-up", "efficiency", "remote", "imbalance")]
    for run in runs:
        ranks = run["rank_figures"]
        speedup = base["seconds"] / run["seconds"]
        made = sum(rank["successors"] for rank in ranks) or 1
        expanded = [rank["expanded"] for rank in ranks] or [1]
        rows.append((
            str(run["ranks"]),
            f"{run['seconds']:.2f}",
            f"{run['states'] / run['seconds']:.0f}",
            f"{speedup:.2f}",
            f"{speedup * base['ranks'] / run['ranks']:.2f}",
            f"{sum(rank['successors_remote'] for rank in ranks) / made:.2f}",
            f"{max(expanded) * len(expanded) / max(1, sum(expanded)):.2f}",
        ))
    if "--csv" in words:
        for row in rows:
            print(",".join(row))
        return
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))


main(sys.argv[1:])
