"""What a view asks of the reports: name → (report, pairs)."""
from .periods import add, bucket_start, cohort_of

RANKED = ["events", "counters", "content", "videos"]
COHORTS_BACK = {"day": 13, "week": 7, "month": 5}


def questions_of(view, period):
    wide = [("from", period.wide), ("to", period.to)]
    shown = [("from", period.first), ("to", period.to)]

    def ask(report, pairs, is_filtered=True):
        zone = [("tz", view["tz"])] if view.get("tz") else []
        filters = list(view.get("filters", ())) if is_filtered else []
        return report, [("app", view["app"]), *pairs, *zone, *filters]

    def by_day(dimension):
        return ask("versions", [*wide, ("dimension", dimension), ("interval", "day"), ("limit", "5")])

    def whole(first, last):
        return ask("sessions", [("from", first), ("to", last), ("interval", "all")])

    bucket = cohort_of(view, period)
    earliest = bucket_start(bucket, period.to, -COHORTS_BACK[bucket])
    questions = {
        "active": ask("active", wide),
        "sessions": ask("sessions", wide),
        "length": whole(period.first, period.last),
        "return": ask("retention", [("from", add(period.wide, -30)), ("to", period.last),
                                    ("cohort", "day"), ("periods", "30")]),
        "versions": by_day("service.version"),
        "platforms": ask("platforms", shown),
        "retention": ask("retention", [("from", min(bucket_start(bucket, period.first), earliest)),
                                       ("to", period.to), ("cohort", bucket)]),
        "lifetime": ask("lifetime", [("from", min(period.first, add(period.to, -179))), ("to", period.to)]),
        "quality": ask("quality", shown),
        "rejects": ask("rejects", shown, is_filtered=False),
        **{report: ask(report, [*shown, ("limit", "10")]) for report in RANKED},
    }
    if period.is_compared:
        questions["length_before"] = whole(period.before, period.last_before)
    if view.get("dimension", "service.version") != "service.version":
        questions["shares"] = by_day(view["dimension"])
    if len(view.get("steps", ())) > 1:
        within = [("within", view["within"])] if view.get("within", "24h") != "24h" else []
        questions["funnel"] = ask("funnel", [*shown, *[("step", step) for step in view["steps"]], *within])
    return questions


def asked_for(questions):
    """As `reading.asked` gives what a page asked: sorted, each with its pairs sorted."""
    return sorted({(report, tuple(sorted(pairs))) for report, pairs in questions.values()})
