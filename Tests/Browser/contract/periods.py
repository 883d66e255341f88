"""Days and what they are compared with (docs/dashboard.md, Periods and what is compared)."""
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

MAX_COMPARED_DAYS = 535


def add(day, days):
    return (date.fromisoformat(day) + timedelta(days)).isoformat()


def days_from(first, last):
    length = (date.fromisoformat(last) - date.fromisoformat(first)).days + 1
    return [add(first, number) for number in range(length)]


def today_in(zone, moment):
    """moment: seconds since 1970 by the server's clock."""
    return datetime.fromtimestamp(moment, ZoneInfo(zone)).date().isoformat()


@dataclass
class Period:
    """first…to are shown; …last are over; before…last_before are compared with; wide is where questions for both begin."""
    first: str
    to: str
    days: int
    last: str
    today: str
    is_open: bool
    is_compared: bool
    before: str
    last_before: str
    wide: str


def period_of(text, today):
    if text.endswith("d"):
        days, to = int(text[:-1]), today
        first = add(today, 1 - days)
    else:
        first, end = text.split("..")
        to = min(end, today)
        first = min(first, to)
        days = len(days_from(first, to))
    is_open = to == today
    last = add(to, -1) if is_open and days > 1 else to
    fits = days <= MAX_COMPARED_DAYS
    return Period(first, to, days, last, today, is_open, fits and not (is_open and days == 1),
                  add(first, -days), add(last, -days), add(first, -days) if fits else first)


def settled(period, active):
    """Nothing is compared where nobody was there in the thirty days up to the first that is asked about."""
    return replace(period, is_compared=period.is_compared and active["rows"][0]["active_30d"] != 0)


def first_day(active):
    """The first day with a device, hidden or not, or None."""
    return next((row["date"] for row in active["rows"] if row["active"] != 0), None)


def bucket_start(bucket, day, step=0):
    """The first day of the day, week or month of `day`, `step` of them later."""
    at = date.fromisoformat(day)
    if bucket == "month":
        months = at.year * 12 + at.month - 1 + step
        return date(months // 12, months % 12 + 1, 1).isoformat()
    length = 7 if bucket == "week" else 1
    return (at - timedelta(at.weekday() if bucket == "week" else 0) + timedelta(length * step)).isoformat()


def cohort_of(view, period):
    return view.get("cohort") or ("day" if period.days <= 14 else "week" if period.days <= 120 else "month")
