"""What a search costs on many ranks, as a formula with few parameters, fitted to measured runs.

A search of S states makes b successors for each state; all but S of them are duplicates, and a share (P - 1)
/ P of them belongs to other ranks. With P ranks:

    seconds = max(work, network) + path
    work    = S / P · uneven · (state + b · (P - 1) / P · x · item(bytes)) + batches · message
    network = S / P · b · (P - 1) / P · bytes / bandwidth
    path    = (levels + 4 · log2 P) · latency
    batches = (P - 1) · min(items, items / batch + flushes), items = S / P · b / P for each pair of ranks
    uneven  = 1 + sqrt(2 · ln P · P / S)

`state` is what one rank needs for a state. `item` is what the exchange alone needs for an item, a line
through its cost at three sizes. `x` is fitted: how much of it a search pays, and the caches that a rank loses
by it. `message` is processor time for a message besides its items, taken as one latency, which is more than
it is. `path` is what the search would need if states cost nothing: a message for each level, and the
reductions that find the end. `uneven` is how many states more than its share the fullest rank gets from a
hash.
"""

import dataclasses
import math


@dataclasses.dataclass
class Search:
    """What is known of a model's search, whatever the number of ranks."""

    name: str
    states: int
    successors_per_state: float
    levels: int
    item_bytes: float
    batch: float = 1000.0  # items in a full message
    flushes: float = 0.0  # messages to each peer that were not full

    @property
    def duplicates(self):
        return 1 - 1 / self.successors_per_state if self.successors_per_state else 0.0


@dataclasses.dataclass
class Network:
    name: str
    latency: float  # seconds, one way
    bandwidth: float  # bytes a second that a rank can send while all do


@dataclasses.dataclass
class Costs:
    state: float  # seconds
    item: float  # seconds for an item, whatever its size
    byte: float  # seconds for each byte of it
    x: float = 1.0

    def of_item(self, size):
        return self.item + self.byte * size


def line_through(points):
    """Least squares for y = a + b·x with a, b >= 0."""
    if not points:
        return 0.0, 0.0
    n, sx, sy = len(points), sum(x for x, _ in points), sum(y for _, y in points)
    sxx, sxy = sum(x * x for x, _ in points), sum(x * y for x, y in points)
    spread = n * sxx - sx * sx
    slope = max(0.0, (n * sxy - sx * sy) / spread) if spread else 0.0
    return max(0.0, (sy - slope * sx) / n), slope


def parts(search, costs, network, ranks):
    """Seconds by cause: the states themselves, remote items, messages, path, and what the network adds."""
    share, remote = search.states / ranks, (ranks - 1) / ranks
    uneven = 1 + math.sqrt(2 * math.log(ranks) * ranks / search.states) if ranks > 1 else 1.0
    items = share * search.successors_per_state / ranks
    batches = (ranks - 1) * min(items, items / search.batch + search.flushes)
    sent = share * search.successors_per_state * remote
    found = {
        "states": share * uneven * costs.state,
        "items": sent * uneven * costs.x * costs.of_item(search.item_bytes),
        "messages": batches * network.latency if ranks > 1 else 0.0,
        "path": (search.levels + 4 * math.log2(ranks)) * network.latency if ranks > 1 else 0.0,
    }
    work = found["states"] + found["items"] + found["messages"]
    found["network"] = max(0.0, sent * search.item_bytes / network.bandwidth - work) if ranks > 1 else 0.0
    return found


def seconds(search, costs, network, ranks):
    return sum(parts(search, costs, network, ranks).values())


def efficiency(search, costs, network, ranks):
    return search.states * costs.state / (ranks * seconds(search, costs, network, ranks))


def fit(runs, costs, network):
    """`x` such that the formula meets the runs (search, ranks, seconds) on more than one rank: the median."""
    found = []
    for search, ranks, taken in runs:
        cause = parts(search, dataclasses.replace(costs, x=1.0), network, ranks)
        rest = taken - cause["states"] - cause["messages"] - cause["path"]
        if ranks > 1 and cause["items"] > 0:
            found.append(max(0.0, rest / cause["items"]))
    return sorted(found)[len(found) // 2] if found else 1.0
