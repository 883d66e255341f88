"""The calendar, and what day it is where."""
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from contract.periods import bucket_start
from fixture.modules import ModuleCase

ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia",
         "America/St_Johns", "UTC"]
# Apia had no 30 December in 2011.
YEARS = [2011, 2026]


class CalendarTests(ModuleCase):
    def test_800_years_of_days_there_and_back(self):
        wrong = self.blank.run("""import('/dates.js').then(({ dateOf, dayNumber, weekdayOf }) => {
          const wrong = [];
          for (let day = Date.UTC(1600, 0, 1) / 86400000; day <= Date.UTC(2400, 0, 1) / 86400000; day += 1) {
            const date = new Date(day * 86400000);
            const text = date.toISOString().slice(0, 10);
            if (dateOf(day) !== text || dayNumber(text) !== day || weekdayOf(text) !== (date.getUTCDay() + 6) % 7) wrong.push(text);
          }
          return wrong.slice(0, 5);
        })""")
        self.assertEqual(wrong, [])

    def test_what_is_no_date(self):
        texts = ["", "2026-02-29", "2100-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00", "2026-1-01",
                 "26-01-01", "0000-01-01", "2026-01-01 ", " 2026-01-01", "2026-01-01T00:00", "20260101", "+2026-01-01",
                 "12026-01-01", "٢٠٢٦-٠١-٠١", "2026-01-01\n", "x"]
        self.assertTable("dates.js", "dayNumber", [(text, None) for text in texts])

    def test_buckets_begin_on_mondays_and_firsts(self):
        days = [(date(2023, 12, 20) + timedelta(number)).isoformat() for number in range(0, 800, 3)]
        for bucket in ["day", "week", "month"]:
            self.assertTable("dates.js", "startOf", [(bucket, day, bucket_start(bucket, day)) for day in days])
            self.assertTable("dates.js", "stepBuckets", [
                (bucket, bucket_start(bucket, day), step, bucket_start(bucket, day, step))
                for day in days[::9] for step in [-14, -5, -1, 0, 1, 7, 13]])

    def test_days_between_and_added(self):
        self.assertTable("dates.js", "addDays", [
            ("2024-02-28", 1, "2024-02-29"), ("2024-02-28", 2, "2024-03-01"), ("2023-02-28", 1, "2023-03-01"),
            ("2026-01-01", -1, "2025-12-31"), ("2026-12-31", 1, "2027-01-01"), ("2024-02-29", 366, "2025-03-01")])
        self.assertTable("dates.js", "daysBetween", [
            ("2024-02-28", "2024-03-01", 2), ("2026-03-28", "2026-03-30", 2), ("2026-11-23", "2026-11-23", 0)])


class TodayTests(ModuleCase):
    def test_today_at_both_clock_changes(self):
        """Every quarter of an hour for a day on either side of each change, and at each month's midnight."""
        for zone in ZONES:
            with self.subTest(zone=zone):
                moments = sorted({int(one * 1000) for one in around(zone)})
                expected = [datetime.fromtimestamp(one / 1000, ZoneInfo(zone)).date().isoformat() for one in moments]
                found = self.call("dates.js", "todayIn", [[zone, one] for one in moments])
                self.assertEqual([pair for pair in zip(moments, found, expected) if pair[1] != pair[2]], [])
                if zone != "UTC":
                    self.assertGreater(len(moments), 80)

    def test_what_is_a_zone(self):
        self.assertTable("dates.js", "isZone", [
            *[(name, True) for name in [*ZONES, "Asia/Katmandu", "Etc/GMT+5", "America/Port-au-Prince", "Africa/Dar_es_Salaam"]],
            *[(name, False) for name in ["", "Mars/Olympus", "+01:00", "../UTC", "Europe/Berlin ", "Europe/", "/UTC",
                                         "europe/berlin", "asia/kathmandu", "utc", "Europe/Berlin\n", "UTC;x", "Ümlaut"]]])


def around(zone):
    """Moments near each change of a zone's clocks, and near midnights at the ends of months."""
    place = ZoneInfo(zone)
    for year in YEARS:
        at = datetime(year, 1, 1, tzinfo=timezone.utc)
        while at.year <= year:
            after = at + timedelta(hours=1)
            if at.astimezone(place).utcoffset() != after.astimezone(place).utcoffset():
                yield from (at.timestamp() + 900 * quarter for quarter in range(-104, 108))
            at = after
        for month in range(1, 13):
            midnight = datetime(year, month, 1, tzinfo=place).timestamp()
            yield from [midnight - 1, midnight - 0.001, midnight, midnight + 0.001]
