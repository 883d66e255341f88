"""Periods from end to end, at a clock that is set: the server's, in the view's zone, whatever the browser's own."""
import json
from datetime import datetime, timedelta, timezone

from contract.figures import version_marks
from contract.periods import period_of, today_in
from contract.questions import asked_for, questions_of
from fixture.canned import Canned, actives, problem
from fixture.case import DashboardCase
from fixture.controls import choose, click
from fixture.reading import asked, panel, said, states

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

# A browser that does not know a zone: its tzdata is older than the server's, or has fewer names.
FORGET = """(() => { const Known = Intl.DateTimeFormat;
  Intl.DateTimeFormat = function (language, options) {
    if (options?.timeZone === %s) throw new RangeError('Invalid time zone specified');
    return new Known(language, options); };
  Intl.DateTimeFormat.prototype = Known.prototype; })()"""


class ClockCase(DashboardCase):
    def open(self, moment, app_zone, browser_zone, view):
        canned = Canned(moment, app_zone)
        page = self.page(zone=browser_zone)
        page.intercept(canned)
        return canned, self.show(view, page=page)

    def check(self, page, view, zone, moment, *more):
        """more: what is asked besides the questions of the view."""
        period = period_of(view.get("range", "28d"), today_in(zone, moment.timestamp()))
        self.assertEqual(asked(page), sorted([*asked_for(questions_of(view, period)), *more]))
        self.assertSame(panel(page, "headline")["metrics"]["active_1d"]["value"], actives(period.last)["active"])
        dashed = page.run("[...document.querySelectorAll('[data-chart=sessions] rect[data-open]')].map((one) => one.dataset.key)")
        self.assertEqual(dashed, [period.to] if period.is_open else [])
        return period


class ClockTests(ClockCase):
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


class UnknownZoneTests(ClockCase):
    """The browser does not know the app's zone: the server says what day it is there."""

    QUESTION = ("rejects", (("app", "shop"),))
    FURTHEST = [("2026-11-23T11:00:00", "Pacific/Kiritimati"), ("2026-11-23T10:30:00", "Pacific/Pago_Pago"), ("2026-11-23T12:00:00", "Asia/Kathmandu")]

    def open_unknown(self, text, zone, *handlers):
        canned = Canned(datetime.fromisoformat(text).replace(tzinfo=timezone.utc), zone)
        page = self.page(zone="Europe/Berlin")
        page.send("Page.addScriptToEvaluateOnNewDocument", source=FORGET % json.dumps(zone))
        for handler in [canned, *handlers]:
            page.intercept(handler)
        return canned, page

    def assertLabel(self, page, zone):
        self.assertEqual(page.run("document.querySelector('select[data-control=tz]').value"), zone)

    def test_today_and_the_label_are_those_of_the_answers(self):
        for text, zone in self.FURTHEST:
            with self.subTest(clock=text, zone=zone):
                view = {"app": "shop", "range": "7d"}
                canned, page = self.open_unknown(text, zone)
                self.show(view, page=page)
                self.check(page, view, zone, canned.moment, self.QUESTION)
                self.assertLabel(page, zone)
                self.assertRegex(page.run("document.querySelector('.aside').textContent"), r"\d\d:\d\d UTC")
                self.assertQuiet(page)
                page.close()

    def test_the_next_day_comes_with_a_refresh(self):
        view = {"app": "shop", "range": "7d"}
        canned, page = self.open_unknown("2026-11-23T09:59:00", "Pacific/Kiritimati")
        self.show(view, page=page)
        page.requests.clear()
        canned.moment += timedelta(minutes=2)
        self.world.act(page, click("[data-action=refresh]"))
        self.assertEqual(self.check(page, view, canned.zone, canned.moment, self.QUESTION).to, "2026-11-24")

    def test_in_the_address_it_is_the_apps(self):
        _, page = self.open_unknown("2026-11-23T11:00:00", "Pacific/Kiritimati")
        self.world.come(page, "app=shop&tz=Pacific/Kiritimati")
        self.world.settle(page)
        self.assertEqual((said(page), page.run("location.hash")), ("", "#app=shop"))

    def test_another_zone_is_the_browsers_again(self):
        view = {"app": "shop", "range": "7d"}
        canned, page = self.open_unknown("2026-11-23T11:00:00", "Pacific/Kiritimati")
        self.show(view, page=page)
        page.requests.clear()
        self.world.act(page, choose("tz", "UTC"))
        self.check(page, {**view, "tz": "UTC"}, "UTC", canned.moment)
        page.requests.clear()
        self.world.act(page, choose("tz", canned.zone))
        self.assertLabel(page, canned.zone)
        self.check(page, view, canned.zone, canned.moment, self.QUESTION)

    def test_where_the_server_does_not_know_it_either_another_can_be_chosen(self):
        gone = problem("time-zone-gone", 409)
        view = {"app": "shop", "range": "7d"}
        canned, page = self.open_unknown(
            "2026-11-23T11:00:00", "Pacific/Kiritimati",
            lambda request: gone if request.path.startswith("/report/") and "tz" not in dict(request.pairs) else None)
        self.world.come(page, "app=shop&range=7d")
        page.until("document.querySelector('[data-panel=headline][data-state=error]')")
        self.assertEqual(states(page), {"headline": "error time-zone-gone"})
        self.assertLabel(page, canned.zone)
        self.assertFalse(page.run("document.querySelector('select[data-control=tz]').hidden"))
        self.world.settle(page)
        page.requests.clear()
        self.world.act(page, choose("tz", "UTC"))
        self.check(page, {**view, "tz": "UTC"}, "UTC", canned.moment)
