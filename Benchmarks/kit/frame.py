"""Which part of the data a question is about, as SQL over epoch milliseconds."""

import dataclasses
import datetime
import zoneinfo

EPOCH = datetime.date(1970, 1, 1)


@dataclasses.dataclass(frozen=True)
class Frame:
    """Local days `first` to `last` in the zone `tz`, and a filter on a row's resource."""

    first: datetime.date
    last: datetime.date
    tz: str = "UTC"
    keep: str = "TRUE"

    def _midnight(self, date):
        zone = zoneinfo.ZoneInfo(self.tz)
        return int(
            datetime.datetime(date.year, date.month, date.day, tzinfo=zone).timestamp() * 1000
        )

    def start(self, days_before=0):
        return self._midnight(self.first - datetime.timedelta(days=days_before))

    @property
    def end(self):
        return self._midnight(self.last + datetime.timedelta(days=1))

    @property
    def first_day(self):
        return (self.first - EPOCH).days

    @property
    def last_day(self):
        return (self.last - EPOCH).days

    def today(self):
        return (datetime.datetime.now(zoneinfo.ZoneInfo(self.tz)).date() - EPOCH).days

    def within(self, column="time"):
        return f"{column} >= {self.start()} AND {column} < {self.end}"

    def day(self, column="time"):
        """The local epoch day of a time."""
        return f"({self.local(column)} // 86400000)"

    def local(self, column="time"):
        """A time on local clocks: the zone's changes as one CASE, no lookup for each row."""
        pieces = self._offsets()
        offset = str(pieces[-1][1])
        if len(pieces) > 1:
            whens = " ".join(
                f"WHEN {column} < {after} THEN {before}"
                for (_, before), (after, _) in zip(pieces, pieces[1:])
            )
            offset = f"CASE {whens} ELSE {offset} END"
        return f"({column} + {offset})"

    def hour(self, column="time"):
        """The local hour of the week of a time, from 0: Monday's first."""
        return f"(({self.local(column)} // 3600000 + 72) % 168)"

    def _offsets(self):
        """(from when, offset), milliseconds: hour by hour over all the data could span."""
        zone, found = zoneinfo.ZoneInfo(self.tz), []
        hour = datetime.timedelta(hours=1)
        moment = datetime.datetime.combine(
            self.first - datetime.timedelta(days=400), datetime.time(), datetime.timezone.utc
        )
        stop = datetime.datetime.combine(
            self.last + datetime.timedelta(days=3), datetime.time(), datetime.timezone.utc
        )
        while moment < stop:
            offset = int(moment.astimezone(zone).utcoffset().total_seconds() * 1000)
            if not found or found[-1][1] != offset:
                found.append((int(moment.timestamp() * 1000), offset))
            moment += hour
        return found


def date_text(day):
    return f"(DATE '1970-01-01' + ({day})::INTEGER)::VARCHAR"


def bucket(day, interval):
    """The first epoch day of a day's bucket."""
    if interval == "week":
        return f"({day} - ({day} + 3) % 7)"
    if interval == "month":
        return f"date_diff('day', DATE '1970-01-01', date_trunc('month', DATE '1970-01-01' + ({day})::INTEGER)::DATE)"
    return f"({day})"
