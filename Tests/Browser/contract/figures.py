"""The figures of the headline and the marks of versions from the reports' answers."""
from .periods import add, days_from

RATIOS = ["stickiness", "retention_1", "retention_7", "retention_30"]


def headline_figures(answers, period):
    """Name → (now, before, change)."""
    active, sessions = ({row["date"]: row for row in answers[name]["rows"]} for name in ["active", "sessions"])

    def at_last(column):
        return lambda _, last: active.get(last, {}).get(column)

    def total(rows, column):
        def of(first, last):
            values = [rows[day][column] for day in days_from(first, last) if day in rows]
            return None if not values or None in values else sum(values)
        return of

    def whole(column):
        def of(first, _):
            answer = answers["length" if first == period.first else "length_before"]
            return answer["rows"][0].get(column)
        return of

    def returned(days):
        def of(first, last):
            rows = [row for row in answers["return"]["rows"]
                    if first <= add(row["cohort"], days) <= last and add(row["cohort"], days) < period.today]
            parts, sizes = [row[f"p{days}"] for row in rows], [row["size"] for row in rows]
            return None if None in parts + sizes or not sum(sizes) else sum(parts) / sum(sizes)
        return of

    measures = {
        "active_1d": at_last("active"), "active_7d": at_last("active_7d"), "active_30d": at_last("active_30d"),
        "stickiness": at_last("stickiness"), "sessions": total(sessions, "sessions"), "new": total(active, "new"),
        "duration_p50": whole("duration_p50"), "duration_p90": whole("duration_p90"),
        **{f"retention_{days}": returned(days) for days in [1, 7, 30]},
    }
    figures = {}
    for name, measure in measures.items():
        now = measure(period.first, period.last)
        before = measure(period.before, period.last_before) if period.is_compared else None
        figures[name] = now, before, change_of(now, before, name in RATIOS)
    return figures


def change_of(now, before, is_ratio):
    if now is None or before is None:
        return None
    if is_ratio:
        return now - before
    return now / before - 1 if before else None


def quality_figures(quality, rejects):
    rows = quality["rows"]
    sums = ["batches", "events", "rejected", "missing_batches", "dropped_events", "corrected_batches"]
    late = [row["late_p95"] for row in rows if row["late_p95"] is not None]
    return {
        **{name: sum(row[name] for row in rows) for name in sums},
        "late_p95": max(late, default=None),
        "refused": sum(row["batches"] for row in rejects["rows"]),
    }


def version_marks(versions, period):
    """{(version, its first date)} that charts have to mark."""
    first = {}
    for row in versions["rows"]:
        first.setdefault(row["value"], row["date"])
    return {(value, day) for value, day in first.items()
            if value != "unknown" and day > period.wide and day >= period.first}
