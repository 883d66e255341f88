"""Tables in docs/performance.md: what stands between two markers is replaced, the rest stays."""

import datetime
import os
import statistics

from . import machine
from .server import run


def table(head, rows):
    """Markdown; columns after the first that hold only numbers are set to the right."""

    def numeric(column):
        cells = [row[column] for row in rows]
        return column > 0 and all(cell[:1].isdigit() or cell in ("", "–") for cell in cells)

    rule = ["---:" if numeric(column) else "---" for column in range(len(head))]
    lines = [head, rule, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def parts(path, name):
    """What stands before and behind the place of that name; the benchmark ends if there is none."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    with open(path) as file:
        page = file.read()
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(end) < page.index(begin):
        raise SystemExit(f"benchmark: {path} has no place for '{name}'")
    return page[: page.index(begin) + len(begin)], page[page.index(end) :]


def replace(path, name, text):
    """Puts `text` between `<!-- begin NAME -->` and `<!-- end NAME -->`."""
    before, behind = parts(path, name)
    with open(path + ".new", "w") as file:
        file.write(f"{before}\n\n{text.strip()}\n\n{behind}")
    os.replace(path + ".new", path)


def heading(program):
    """Day, machine and version that the figures below it are of, without a full stop."""
    version = run([program, "--version"]).strip()
    return f"{datetime.date.today().isoformat()}, {machine.description()}; Sojourn {version}"


def number(value, digits=0):
    return f"{value:,.{digits}f}"


def milliseconds(seconds):
    value = seconds * 1000
    return number(value, 0 if value >= 100 else 1 if value >= 10 else 2)


def medians(runs, figures):
    """Cells of the medians over dictionaries; a figure is a name and its digits."""
    return [
        number(statistics.median(told[name] for told in runs), digits) for name, digits in figures
    ]


def compared(what, ours, theirs):
    """A sentence about what the rounds say of two programs, each a list of CPU an event."""
    ratios = [one / other for one, other in zip(ours, theirs)]
    return (
        f"CPU an event, {what}: **{statistics.median(ratios):.2f}** (median of {len(ratios)} "
        f"rounds in turn, {min(ratios):.2f} to {max(ratios):.2f})."
    )
