"""Periods from end to end, at a clock that is set: the server's, in the view's zone, whatever the browser's own."""
from datetime import datetime, timedelta, timezone

from contract.figures import version_marks
from contract.periods import period_of, today_in
from contract.questions import asked_for, questions_of
from fixture.canned import Canned, actives
from fixture.case import DashboardCase
from fixture.reading import asked, panel

# The server's clock in UTC, the app's zone, the browser's zone, what is viewed.
CASES = [
    # Clocks go forward at 01:00 UTC, and back.
    ("2026-03-28T22:59:59", "Europe/Berlin", "America/New_York", {"range": "7d"}),
    ("2026-03-28T23:00:00", "Europe/Berlin", "America/New_York", {"range": "7d"}),
    ("2026-03-29T21:59:59", "Europe/Berlin", "Pacific/Kiritimati", {"range": "28d"}),
    ("2026-03-29T22:00:00", "Europe/Berlin", "Pacific/Kiritimati", {"range": "28d"}),
    ("2026-10-24T22:00:00", "Europe/Berlin", "UTC", {"range": "1d"}),
    ("2026-10-25T22:59:59", "Europe/Berlin", "UTC", {"range": "1d"}),
    ("2026-10-25T23:00:00", "Europe/Berlin", "UTC", {"range": "14d"}),
    # Half an hour of summer time.
    ("2026-04-04T12:59:59", "Australia/Lord_Howe", "Europe/Berlin", {"range": "7d", "cohort": "day"}),
    ("2026-10-03T13:30:00", "Australia/Lord_Howe", "Europe/Berlin", {"range": "91d"}),
    # Ends of months and years; the view's zone before the app's.
    ("2025-12-31T18:14:59", "UTC", "America/St_Johns", {"tz": "Asia/Kathmandu", "range": "28d"}),
    ("2025-12-31T18:15:00", "UTC", "America/St_Johns", {"tz": "Asia/Kathmandu", "range": "2025-12-20..2026-01-31"}),
    ("2024-03-01T03:29:59", "America/St_Johns", "Asia/Tokyo", {"range": "364d"}),
    ("2026-03-08T04:59:59", "America/New_York", "Asia/Tokyo", {"range": "536d"}),
]


class ClockTests(DashboardCase):
    def open(self, moment, app_zone, browser_zone, view):
        canned = Canned(moment, app_zone)
        page = self.page(zone=browser_zone)
        page.intercept(canned)
        return canned, self.show(view, page=page)

    def check(self, page, view, zone, moment):
        period = period_of(view.get("range", "28d"), today_in(zone, moment.timestamp()))
        self.assertEqual(asked(page), asked_for(questions_of(view, period)))
        self.assertSame(panel(page, "headline")["metrics"]["active_1d"]["value"], actives(period.last)["active"])
        dashed = page.run("[...document.querySelectorAll('[data-chart=sessions] rect[data-open]')].map((one) => one.dataset.key)")
        self.assertEqual(dashed, [period.to] if period.is_open else [])
        return period

    def test_days_are_those_of_the_servers_clock_in_the_views_zone(self):
        for text, app_zone, browser_zone, members in CASES:
            with self.subTest(clock=text, zone=app_zone, **members):
                moment = datetime.fromisoformat(text).replace(tzinfo=timezone.utc)
                view = {"app": "shop", **members}
                _, page = self.open(moment, app_zone, browser_zone, view)
                self.check(page, view, view.get("tz", app_zone), moment)
                page.close()

    def test_the_day_goes_on_with_the_servers_clock(self):
        """A refresh after midnight is about the new day, and after a night in which the browser's clock stood still."""
        moment, zone = datetime(2026, 11, 23, 22, 59, tzinfo=timezone.utc), "Europe/Berlin"
        canned, page = self.open(moment, zone, "America/New_York", {"app": "shop", "range": "7d"})
        page.requests.clear()
        canned.moment += timedelta(minutes=2)
        self.world.act(page, "document.querySelector('[data-action=refresh]').click()")
        self.assertEqual(self.check(page, {"app": "shop", "range": "7d"}, zone, canned.moment).to, "2026-11-24")

    def test_a_range_of_dates_stays_when_the_day_changes(self):
        moment, view = datetime(2026, 11, 23, 22, 59, tzinfo=timezone.utc), {"app": "shop", "range": "2026-11-01..2026-11-23"}
        canned, page = self.open(moment, "Europe/Berlin", "UTC", view)
        page.requests.clear()
        canned.moment += timedelta(minutes=2)
        self.world.act(page, "document.querySelector('[data-action=refresh]').click()")
        period = self.check(page, view, "Europe/Berlin", canned.moment)
        self.assertEqual((period.to, period.is_open, period.last), ("2026-11-23", False, "2026-11-23"))

    def test_the_time_shown_is_the_servers_in_the_views_zone(self):
        moment = datetime(2026, 11, 23, 11, 22, tzinfo=timezone.utc)
        _, page = self.open(moment, "Asia/Kathmandu", "America/New_York", {"app": "shop"})
        self.assertIn("17:07", page.run("document.querySelector('header').textContent"))

    def test_a_version_that_was_there_from_the_first_day_is_not_marked(self):
        moment = datetime(2026, 11, 23, 12, tzinfo=timezone.utc)
        _, page = self.open(moment, "UTC", "UTC", {"app": "shop", "range": "7d"})
        rows = [{"value": "1.0", "date": "2026-11-10"}]
        self.assertEqual(version_marks({"rows": rows}, period_of("7d", "2026-11-23")), set())
        self.assertEqual(page.run("document.querySelectorAll('[data-version]').length"), 0)
