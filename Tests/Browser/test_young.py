"""An app that is too young to compare: nothing is, it is said since when there is data, and what would be compared is not asked."""
import json
import threading
from datetime import datetime, timezone

from contract.periods import add, period_of
from contract.questions import asked_for, questions_of
from driver import Answer
from fixture.canned import Canned, problem
from fixture.case import DashboardCase
from fixture.controls import click
from fixture.modules import ModuleCase
from fixture.reading import asked, panel

MOMENT = datetime(2026, 11, 23, 12, tzinfo=timezone.utc)
VIEW = {"app": "shop", "range": "14d"}
PERIOD = period_of("14d", "2026-11-23")
# The first day that is asked about, as it is said.
BEGAN = {PERIOD.wide: "27 Oct", add(PERIOD.wide, 1): "28 Oct", add(PERIOD.wide, 20): "16 Nov", PERIOD.today: "23 Nov"}
BEFORE = "from=2026-10-27&to=2026-11-08"


def grown(rows, first):
    """Rows of `active` of an app whose first device came on that day, or never."""
    for row in rows:
        if first is None or row["date"] < first:
            row.update(active=0, active_7d=0, active_30d=0, new=0, stickiness=None)
    return rows


class YoungCase(DashboardCase):
    def open(self, change, view=VIEW):
        """A page of which the rows of `active` are changed."""
        page, canned = self.page(), Canned(MOMENT, "UTC")

        def answer(request):
            if request.path == "/report/active":
                body = json.loads(canned(request).body)
                change(body["rows"])
                return canned.answer(200, body)

        page.intercept(canned)
        page.intercept(answer)
        return self.show(view, page=page)

    def compared(self, page):
        """Whether anything is; whether the days before were asked about; what is said since when there is data."""
        metrics = panel(page, "headline")["metrics"].values()
        changes = [one for one in metrics if one["change"] is not None or one["before"] is not None]
        words = page.run("document.querySelector('.young')?.textContent ?? null")
        return bool(changes), any(BEFORE in one.url for one in page.requests), words


class YoungTests(YoungCase):
    def test_the_first_day_that_is_asked_about_decides(self):
        for first, words in BEGAN.items():
            with self.subTest(first=first):
                page = self.open(lambda rows: grown(rows, first))
                is_compared, is_asked, said = self.compared(page)
                self.assertEqual((is_compared, is_asked), (first == PERIOD.wide,) * 2)
                if first == PERIOD.wide:
                    self.assertIsNone(said)
                else:
                    self.assertIn(words, said)
                self.assertQuiet(page)
                page.close()

    def test_a_day_without_anybody_is_not_the_beginning(self):
        page = self.open(lambda rows: rows[0].update(active=0, new=0))
        self.assertEqual(self.compared(page), (True, True, None))

    def test_a_hidden_figure_is_somebody(self):
        page = self.open(lambda rows: rows[0].update(active=None, active_30d=None, suppressed=True))
        self.assertEqual(self.compared(page), (True, True, None))

        def hidden(rows):
            grown(rows, add(PERIOD.wide, 3))
            rows[2].update(active=None, active_7d=None, active_30d=None, suppressed=True)

        page = self.open(hidden)
        is_compared, is_asked, said = self.compared(page)
        self.assertEqual((is_compared, is_asked), (False, False))
        self.assertIn("29 Oct", said)

    def test_no_date_where_there_is_none(self):
        page = self.open(lambda rows: grown(rows, None), {**VIEW, "filters": [("os.name", "none")]})
        self.assertEqual(self.compared(page), (False, False, None))
        self.assertState(page, "headline", "ready")

    def test_a_filter_is_as_young_as_what_it_keeps(self):
        page = self.open(lambda rows: grown(rows, add(PERIOD.wide, 20)), {**VIEW, "filters": [("os.name", "new")]})
        self.assertRegex(self.compared(page)[2], "filters .* 16 Nov")

    def test_nothing_is_said_where_nothing_is_compared_anyway(self):
        for text in ["1d", "536d"]:
            page = self.open(lambda rows: grown(rows, "2026-11-20"), {**VIEW, "range": text})
            self.assertEqual(self.compared(page), (False, False, None))
            page.close()

    def test_the_days_before_are_asked_about_once_there_are_any(self):
        go, page = threading.Event(), self.page()
        self.addCleanup(go.set)

        def held(request):
            if request.path == "/report/active":
                go.wait(page.patience)

        page.intercept(Canned(MOMENT, "UTC"))
        page.intercept(held)
        self.world.come(page, "app=shop&range=14d")
        page.until("document.querySelector('[data-panel=lifetime][data-state=ready]')")
        self.assertFalse([one for one in page.requests if BEFORE in one.url])
        go.set()
        self.world.settle(page)
        self.assertEqual(self.compared(page), (True, True, None))
        self.assertEqual(asked(page), asked_for(questions_of(VIEW, PERIOD)))

    def test_they_are_asked_about_after_another_try_too(self):
        page = self.page()
        page.intercept(Canned(MOMENT, "UTC"))
        page.intercept(lambda request: problem("report-timeout") if request.path == "/report/active" else None)
        self.show(VIEW, page=page)
        self.assertFalse([one for one in page.requests if BEFORE in one.url])
        page.stop_intercepting()
        page.intercept(Canned(MOMENT, "UTC"))
        self.world.act(page, click("[data-panel=actives] [data-action=retry]"))
        self.assertState(page, "headline", "ready")
        self.assertEqual(self.compared(page), (True, True, None))

    def test_one_try_is_enough_where_they_fail(self):
        failed = Answer(500, {"Content-Type": "application/problem+json"}, b'{"code": "internal-error", "detail": "no"}')
        page, canned = self.page(), Canned(MOMENT, "UTC")
        page.intercept(canned)
        page.intercept(lambda request: failed if BEFORE in request.url else None)
        self.show(VIEW, page=page)
        self.assertState(page, "headline", "error", "internal-error")
        page.stop_intercepting()
        page.intercept(canned)
        page.requests.clear()
        self.world.act(page, click("[data-panel=headline] [data-action=retry]"))
        self.assertEqual(self.compared(page), (True, True, None))
        self.assertEqual(len(asked(page)), 1)


class SettledTests(ModuleCase):
    def test_what_active_leaves_of_a_period(self):
        def row(day, active, active_30d):
            return {"date": day, "active": active, "active_30d": active_30d}

        compared, alone = {"isCompared": True}, {"isCompared": False}
        table = [
            (compared, [], {"isCompared": True, "since": None}),
            (compared, [row("a", 0, 1)], {"isCompared": True, "since": None}),
            (compared, [row("a", None, None)], {"isCompared": True, "since": None}),
            (compared, [row("a", 0, 0), row("b", 0, 0), row("c", 2, 2)], {"isCompared": False, "since": "c"}),
            (compared, [row("a", 0, 0), row("b", None, None), row("c", 2, 2)], {"isCompared": False, "since": "b"}),
            (compared, [row("a", 0, 0)], {"isCompared": False, "since": None}),
            (alone, [row("a", 0, 0), row("b", 2, 2)], {"isCompared": False, "since": None}),
        ]
        self.assertTable("period.js", "settledPeriod", [(period, {"rows": rows}, expected) for period, rows, expected in table])
