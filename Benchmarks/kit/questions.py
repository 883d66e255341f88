"""What the reports are asked, each with the query that answers it as well."""

import dataclasses
import datetime
from collections.abc import Callable

from . import sql
from .frame import Frame

LOADS = [("name", "screen.view"), ("of", "load.ms")]
PAGES = [("name", "page.load"), ("of", "load.ms")]
FILTERS = {
    "os.name": "os",
    "os.version": "os_version",
    "service.version": "version",
    "device.model.identifier": "model",
}
READING = [("session.start", None), ("content.view", None), ("content.complete", None)]
ORDERING = [
    ("screen.view", "menu"),
    ("screen.view", "basket"),
    ("screen.view", "checkout"),
    ("screen.view", "order.done"),
]


@dataclasses.dataclass(frozen=True)
class Question:
    report: str
    label: str
    parameters: list  # of pairs, as in the query
    sql: str
    sums: bool = False  # compare sums of columns, not rows


def _steps(steps):
    return [("step", f"{name}:app.screen.name={text}" if text else name) for name, text in steps]


# report, what makes it special, more parameters, the query
SPECIALS: list[tuple[str, str, list, Callable]] = [
    ("active", "", [], sql.active),
    ("active", "interval=month {days} days", [("interval", "month")], lambda f: sql.active(f, "month")),
    ("sessions", "", [], sql.sessions),
    ("sessions", "interval=week", [("interval", "week")], lambda f: sql.sessions(f, "week")),
    ("retention", "", [], sql.retention),
    ("retention", "cohort=week", [("cohort", "week")], lambda f: sql.retention(f, "week", 8)),
    ("events", "", [], sql.events),
    ("events", "interval=day", [("interval", "day")], lambda f: sql.events(f, "day")),
    (
        "events",
        "name=screen.view by=app.screen.name",
        [("name", "screen.view"), ("by", "app.screen.name")],
        lambda f: sql.events_by(f, "screen.view"),
    ),
    ("counters", "", [], sql.counters),
    ("counters", "interval=week", [("interval", "week")], lambda f: sql.counters(f, "week")),
    ("platforms", "", [], sql.platforms),
    (
        "versions",
        "dimension=service.version",
        [("dimension", "service.version")],
        lambda f: sql.versions(f, "version"),
    ),
    (
        "versions",
        "dimension=service.version interval=week",
        [("dimension", "service.version"), ("interval", "week")],
        lambda f: sql.versions(f, "version", "week"),
    ),
    (
        "versions",
        "dimension=service.version interval=day",
        [("dimension", "service.version"), ("interval", "day")],
        lambda f: sql.versions(f, "version", "day"),
    ),
    ("values", "", LOADS, lambda f: sql.values(f, "screen.view")),
    (
        "values",
        "by=app.screen.name",
        [*LOADS, ("by", "app.screen.name")],
        lambda f: sql.values(f, "screen.view", "text"),
    ),
    (
        "values",
        "by=service.version interval=day",
        [*LOADS, ("by", "service.version"), ("interval", "day")],
        lambda f: sql.values(f, "screen.view", "version", "day"),
    ),
    ("hours", "", [], sql.hours),
    ("lengths", "", [], sql.lengths),
    ("funnel", "3 names", _steps(READING), lambda f: sql.funnel(f, READING, 86_400_000)),
    (
        "funnel",
        "4 attributes within=15m",
        [*_steps(ORDERING), ("within", "15m")],
        lambda f: sql.funnel(f, ORDERING, 900_000),
    ),
    (
        "funnel",
        "4 attributes within=15m {days} days",
        [*_steps(ORDERING), ("within", "15m")],
        lambda f: sql.funnel(f, ORDERING, 900_000),
    ),
    ("content", "", [], sql.content),
    ("videos", "", [], sql.videos),
    ("lifetime", "", [], sql.lifetime),
]
# Beside the default: what is asked of the first question of each report.
MANNERS = [
    ("{days} days", "all", "UTC", None),
    ("os.name=iOS", "month", "UTC", ("os.name", "iOS")),
    ("tz=America/New_York", "month", "America/New_York", None),
]


def questions(last, days, loaded):
    """All of them. `last`: the last day with events. `loaded`: the days on which they arrived."""
    found = []

    def frame(span, tz="UTC", keep=None):
        count = days if span == "all" else min(30, days)
        return Frame(last - datetime.timedelta(days=count - 1), last, tz, keep or "TRUE")

    def add(report, label, more, query, f, given=()):
        span = [("from", f.first.isoformat()), ("to", f.last.isoformat())]
        zone = [("tz", f.tz)] if f.tz != "UTC" else []
        found.append(Question(report, label, [*span, *zone, *more, *given], query(f)))

    seen = set()
    for report, label, more, query in SPECIALS:
        span = "all" if "{days}" in label else "month"
        add(report, label.format(days=days) or "30 days", more, query, frame(span))
        if report in seen:
            continue
        seen.add(report)
        for text, span, tz, given in MANNERS:
            keep = f"{FILTERS[given[0]]} = '{given[1]}'" if given else None
            add(
                report,
                text.format(days=days),
                more,
                query,
                frame(span, tz, keep),
                [given] if given else [],
            )
    arrival = Frame(loaded[0] - datetime.timedelta(days=29), loaded[1])
    for report, query in (("quality", sql.quality), ("rejects", sql.rejects)):
        span = [("from", arrival.first.isoformat()), ("to", arrival.last.isoformat())]
        found.append(Question(report, "all arrivals", span, query(arrival), sums=True))
    return found


def of_numbers(last, days):
    """Those of a population in which every event carries a number: of all of them."""
    f = Frame(last - datetime.timedelta(days=days - 1), last)
    span = [("from", f.first.isoformat()), ("to", f.last.isoformat())]
    asked = [
        ("", [], sql.values(f, "page.load")),
        (" by=page", [("by", "page")], sql.values(f, "page.load", "text")),
        (" interval=day", [("interval", "day")], sql.values(f, "page.load", None, "day")),
    ]
    return [
        Question("values", f"every event{label}", [*span, *PAGES, *more], query)
        for label, more, query in asked
    ]
