"""One case of a comparison: what every tool answered, round by round, and whether they agree."""

from measure import median


class Row:
    """One case of a section: every tool's answers, round by round, or why it has none."""

    def __init__(self, section, case_, builds):
        self.section, self.case, self.builds = section, case_, builds
        self.answers, self.unfit = {}, {}
        self.differ = None

    def judge(self, tools_):
        """Notes when tools that must agree do not: all answers of a tool, and those of all exact tools."""
        first = None
        for tool in sorted(tools_, key=lambda tool: not tool_is_exact(tool)):
            for answer in self.answers.get(tool.label, []):
                found = (answer.verdict, answer.states, answer.rules)
                if tool_is_exact(tool):
                    first = first or (tool.label, found)
                    if found != first[1]:
                        self.differ = f"{first[0]} says {told(first[1])}, {tool.label} says {told(found)}"
                elif first and (answer.verdict != "holds" or too_few(tool, answer, first)):
                    self.differ = f"{first[0]} says {told(first[1])}, {tool.label} says {told(found)}"

    def best(self, labels, figure):
        """The label with the least median of a figure among those that answered."""
        found = [label for label in labels if self.answers.get(label)]
        return min(found, key=lambda label: self.middle(label, figure)) if found else None

    def middle(self, label, figure):
        return median([figure(answer) for answer in self.answers[label]])

    def least(self, label, figure):
        return min(figure(answer) for answer in self.answers[label])

    def ratios(self, upper, lower, figure):
        """upper / lower, round by round: rounds are close in time, so the machine's moods cancel out."""
        return [figure(a) / figure(b) for a, b in zip(self.answers[upper], self.answers[lower])]


def tool_is_exact(tool):
    """Heuristic symmetry and partial order reduction see other numbers of states, by design."""
    return getattr(tool, "symmetry", "") != "heuristic" and not getattr(tool, "reduces", False)


def too_few(tool, answer, first):
    """Heuristic symmetry visits every orbit at least once."""
    return not getattr(tool, "reduces", False) and answer.states < first[1][1]


def told(found):
    return f"{found[0]}, {found[1]:,} states, {found[2]:,} rules"


def wall(answer):
    return answer.run.seconds


def processor(answer):
    return answer.run.processor_seconds


def kernel(answer):
    return answer.run.kernel_seconds


def own(answer):
    return processor(answer) - kernel(answer)


def peak(answer):
    return answer.run.peak_bytes
