"""What a suite of tests wrote down as JUnit XML: counts, what failed, and why tests were skipped."""

import collections
import re
import xml.etree.ElementTree


class Results:
    """Numbers of tests that passed, failed and were skipped; names of those that failed; {reason: how often}
    of the skipped."""

    def __init__(self, passed=0, failed=(), reasons=()):
        self.passed, self.failed, self.reasons = passed, list(failed), collections.Counter(reasons)

    def __add__(self, other):
        return Results(self.passed + other.passed, self.failed + other.failed, self.reasons + other.reasons)

    def __str__(self):
        return f"{self.passed} passed, {len(self.failed)} failed, {sum(self.reasons.values())} skipped"

    @property
    def good(self):
        """Nothing failed, and something was tested."""
        return not self.failed and self.passed > 0

    def reason_lines(self, indent):
        """A line for each reason, the commonest first."""
        return [f"{' ' * indent}{count} skipped: {reason}" for reason, count in self.reasons.most_common()]


def read_results(path) -> Results:
    results = Results()
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        tags = {child.tag: child for child in case}
        status = case.get("status", "run")
        if tags.keys() & {"failure", "error"} or status == "fail":
            results.failed.append(case.get("name"))
        elif "skipped" in tags or status in ("notrun", "disabled"):
            results.reasons[skip_reason(tags)] += 1
        else:
            results.passed += 1
    return results


def skip_reason(tags: dict) -> str:
    """Pytest has it in the tag; of ctest's programs it is in what they printed: a line of ours, or the one
    below GoogleTest's."""
    said = (tags["system-out"].text or "") if "system-out" in tags else ""
    found = re.search(r"^skipped: (.+)$", said, re.MULTILINE) or re.search(
        r": Skipped\n(.+)$", said, re.MULTILINE
    )
    if found:
        return found.group(1).strip()
    message = tags["skipped"].get("message", "") if "skipped" in tags else ""
    return message.strip() or "no reason given"
