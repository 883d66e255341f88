"""Every number of every panel against its report, what is asked for it, and how it is drawn."""
import functools
import re

from contract.figures import headline_figures, quality_figures, version_marks
from contract.periods import add, bucket_start, cohort_of, first_day
from contract.questions import asked_for, questions_of
from fixture.case import DashboardCase
from fixture.reading import asked, charts, panel
from runner import short

VIEWS = {
    "default": {"app": "shop"},
    "filter": {"app": "shop", "range": "7d", "filters": [("os.name", "iOS"), ("os.name", "Android")]},
    "zone": {"app": "shop", "tz": "Asia/Kathmandu", "cohort": "day", "dimension": "os.name"},
    "past": {"app": "shop", "range": "past"},
    "today": {"app": "shop", "range": "1d"},
    "months": {"app": "shop", "range": "91d", "cohort": "month", "dimension": "device.model.identifier"},
    "too long to compare": {"app": "shop", "range": "536d"},
    "funnel": {"app": "shop", "range": "14d", "within": "7d",
               "steps": ["session.start", "screen.view:app.screen.name=menu", "session.end"]},
    "nothing": {"app": "shop", "filters": [("os.name", "no & such?")]},
}
KEYS = {
    "actives": "date", "newcomers": "date", "sessions": "date", "quality": "date", "retention": "cohort",
    "lifetime": "day", "platforms": "os.name", "events": "name", "counters": "counter", "content": "content",
    "videos": "video", "funnel": "step",
}
OF_DAYS = ["actives", "newcomers", "sessions"]


class Shown:
    """A page at a view, and everything that the server says of it."""

    def __init__(self, world, view):
        self.view = dict(view)
        if view.get("range") == "past":
            today = world.period({"app": view["app"]}).today
            self.view["range"] = f"{add(today, -33)}..{add(today, -20)}"
        self.period = None
        # Asked again where midnight lies between.
        while self.period != (period := world.period(self.view)):
            self.period = period
            self.page = world.show(self.view)
        self.questions = questions_of(self.view, period)
        self.answers = {name: world.report(*question) for name, question in self.questions.items()}

    def rows(self, name):
        """The rows of the report that a panel has to show."""
        if name == "newcomers":
            return [{"date": row["date"], "new": row["new"], "returning": row["active"] - row["new"]}
                    for row in self.rows("actives")]
        if name == "versions":
            rows = (self.answers.get("shares") or self.answers["versions"])["rows"]
        else:
            rows = self.answers["active" if name == "actives" else name]["rows"]
        return [row for row in rows if row["date"] >= self.period.first] if name in [*OF_DAYS, "versions"] else rows

    def close(self):
        self.page.close()


def in_views(*names):
    """Runs a test for each of these views, or for all."""
    def wrap(test):
        @functools.wraps(test)
        def run(self):
            for name in names or VIEWS:
                with self.subTest(view=name):
                    test(self, self.shown(name))
        return run
    return wrap


class PanelTests(DashboardCase):
    def shown(self, name):
        return self.world.cached(("view", name), lambda: Shown(self.world, VIEWS[name]))

    @in_views("default")
    def test_the_population_has_what_the_tests_look_at(self, shown):
        self.assertTrue(version_marks(shown.answers["versions"], shown.period))
        figures = quality_figures(shown.answers["quality"], shown.answers["rejects"])
        self.assertEqual([name for name, value in figures.items() if not value], [])
        self.assertTrue(shown.answers["sessions"]["rows"][-1]["open"])

    @in_views()
    def test_the_headline_says_what_the_reports_make_it(self, shown):
        found = panel(shown.page, "headline")
        self.assertEqual(found["state"], "ready")
        for name, (now, before, change) in headline_figures(shown.answers, shown.period).items():
            metric = found["metrics"][name]
            self.assertSame(metric["value"], now, name)
            self.assertSame(metric["before"], before, name + " before")
            self.assertSame(metric["change"], change, name + " change")
            if now is None:
                self.assertIn("–", metric["text"], name)
        self.assertRegex(shown.page.run("document.querySelector('[data-lede]').textContent"), r"\S+ \S+ \S+")

    @in_views("default", "filter", "past")
    def test_the_sentence_says_the_same_as_the_figures(self, shown):
        figures = headline_figures(shown.answers, shown.period)
        words = shown.page.run("document.querySelector('[data-lede]').textContent")
        for name in ["active_30d", "sessions"]:
            self.assertIn(f"{figures[name][0]:,}", words)
        change = figures["active_30d"][2]
        if round(abs(change), 3) > 0:
            self.assertIn("more than" if change > 0 else "fewer than", words)

    @in_views()
    def test_an_app_that_is_too_young_to_compare_says_since_when_there_is_data(self, shown):
        words = shown.page.run("document.querySelector('.young')?.textContent ?? null")
        active, first = shown.answers["active"], first_day(shown.answers["active"])
        is_young = active["rows"][0]["active_30d"] == 0 and shown.period.days <= 535 and shown.period.first != shown.period.today
        self.assertEqual(words is not None, is_young and first is not None)
        if words:
            self.assertIn(str(int(first[8:])), words)

    @short
    @in_views("default")
    def test_every_cell_of_one_page_is_that_of_the_report(self, shown):
        self.compare_cells(shown)

    @in_views()
    def test_every_cell_is_that_of_the_report(self, shown):
        self.compare_cells(shown)

    def compare_cells(self, shown):
        for name in [one for one in KEYS if one != "funnel" or "funnel" in shown.questions]:
            rows, found = shown.rows(name), panel(shown.page, name)
            if found["state"] == "empty":
                self.assertFalse(has_figures(rows, KEYS[name]), name)
                continue
            self.assertEqual(found["state"], "ready", name)
            self.assertTrue(found["caption"], name)
            self.assertEqual([row["key"] for row in found["rows"]], [str(row[KEYS[name]]) for row in rows], name)
            for cells, row in zip(found["rows"], rows):
                self.compare(name, cells["cells"], row, KEYS[name])

    @in_views()
    def test_versions_of_each_day(self, shown):
        rows, found = shown.rows("versions"), panel(shown.page, "versions")
        if not rows:
            self.assertEqual(found["state"], "empty")
            return
        keys = [(row["key"], row["cells"]["value"]["value"]) for row in found["rows"]]
        self.assertEqual(keys, [(row["date"], row["value"]) for row in rows])
        for cells, row in zip(found["rows"], rows):
            self.compare("versions", cells["cells"], row, "value")

    def compare(self, name, cells, row, key):
        for column, value in row.items():
            if column in [key, "date", "matcher"]:
                continue
            cell, words = cells[column], f"{name} {row[key]} {column}"
            self.assertSame(cell["value"], value, words)
            if isinstance(value, int) and name != "retention" and column not in ["total", "bytes_received"]:
                self.assertEqual(re.sub(r"\D", "", cell["text"]), str(value), words)
            if value is None and not (name == "retention" and column.startswith("p")):
                self.assertEqual(cell["text"], "–", words)

    def test_the_funnel_names_its_steps(self):
        shown = self.shown("funnel")
        for cells, row in zip(panel(shown.page, "funnel")["rows"], shown.answers["funnel"]["rows"]):
            self.assertIn(row["matcher"], cells["name"])
        self.assertState(self.shown("default").page, "funnel", "empty")

    @in_views()
    def test_quality_adds_up_its_rows(self, shown):
        found = panel(shown.page, "quality")
        figures = quality_figures(shown.answers["quality"], shown.answers["rejects"])
        self.assertEqual(found["state"], "ready" if any(figures.values()) else "empty")
        for name, value in figures.items() if found["state"] == "ready" else []:
            self.assertSame(found["metrics"][name]["value"], value, name)

    # What is asked

    @in_views()
    def test_each_question_is_asked_once_and_no_other(self, shown):
        self.assertEqual(asked(shown.page), asked_for(shown.questions))
        self.assertLessEqual(len([one for one in shown.page.requests if one.url.startswith("http")]), 20)

    @in_views("default")
    def test_requests_carry_the_token_and_nothing_else(self, shown):
        reports = [one for one in shown.page.requests if one.path.startswith("/report")]
        for one in reports:
            self.assertEqual((one.method, one.header("authorization")), ("GET", "Bearer " + self.world.token))
            self.assertFalse(one.header("cookie") or one.header("referer"))
            self.assertNotIn("set-cookie", one.answer)
            self.assertNotIn(self.world.token, one.url)

    # How it is drawn

    @in_views()
    def test_axes_begin_at_0_and_have_few_round_ticks(self, shown):
        for chart in charts(shown.page):
            ticks = [value for value, _ in chart["ticks"]]
            self.assertEqual(ticks[0], 0, chart["name"])
            self.assertLessEqual(len(ticks), 5, chart["name"])
            steps = {round(b - a, 6) for a, b in zip(ticks, ticks[1:])}
            self.assertEqual(len(steps), 1, f"{chart['name']}: {ticks}")
            scale = scale_of(chart)
            for value, y in chart["ticks"]:
                self.assertAlmostEqual(scale(value), y, delta=0.6, msg=chart["name"])

    def test_lines_and_bars_are_where_the_scale_says(self):
        drawn = set()
        for shown in map(self.shown, VIEWS):
            for chart in charts(shown.page):
                if (rows := self.drawn_rows(shown, chart["name"])) is None:
                    continue
                drawn.add(chart["name"])
                scale = scale_of(chart)
                is_open = shown.period.is_open and chart["name"] != "lifetime"
                for line in chart["lines"]:
                    self.check_line(chart["name"], line, [row[line["series"]] for row in rows], is_open, scale)
                for bar in chart["bars"]:
                    value = next(row[bar["series"]] for row in rows if row["date"] == bar["key"])
                    self.assertAlmostEqual(bar["height"], scale(0) - scale(value), delta=0.6,
                                           msg=f"{chart['name']} {bar['key']}: {value}")
                if chart["bars"]:
                    keys = {bar["key"] for bar in chart["bars"]}
                    self.assertEqual(keys, {row["date"] for row in rows}, chart["name"])
        self.assertEqual(drawn, {"actives", "newcomers", "sessions", "length", "lifetime"})

    def drawn_rows(self, shown, chart):
        name = "sessions" if chart == "length" else chart
        return shown.rows(name) if name in [*OF_DAYS, "lifetime"] else None

    def check_line(self, name, line, values, is_open, scale):
        """One vertex for each value that is over; the open piece leads from the day before."""
        if line["open"]:
            values = values[-2:]
            self.assertNotIn(line["dash"], ["none", ""], name)
        elif is_open:
            values = values[:-1]
        values = [value for value in values if value is not None]
        points = vertices(line["path"])
        words = f"{name} {line['series']}"
        self.assertEqual(len(points), len(values), words)
        self.assertEqual(points, sorted(points), words)
        for (_, y), value in zip(points, values):
            self.assertAlmostEqual(y, scale(value), delta=0.6, msg=f"{words}: {value}")

    @in_views()
    def test_the_day_that_is_not_over_is_dashed_and_no_other(self, shown):
        for chart in charts(shown.page):
            if chart["name"] == "lifetime":
                self.assertFalse([one for one in chart["lines"] if one["open"]])
                continue
            is_open, name = shown.period.is_open, chart["name"]
            for bar in chart["bars"]:
                self.assertEqual(bar["open"], is_open and bar["key"] == shown.period.to, name)
                self.assertEqual(bar["open"], bar["dash"] not in ["none", ""], name)
            lines, areas = ([one["open"] for one in chart[kind]] for kind in ["lines", "areas"])
            if not is_open:
                self.assertNotIn(True, lines + areas, name)
            elif name == "actives" or areas:
                self.assertIn(True, lines + areas, name)

    def test_a_bucket_of_retention_that_is_not_over_is_marked(self):
        kinds = set()
        for shown in map(self.shown, VIEWS):
            bucket = cohort_of(shown.view, shown.period)
            for row in panel(shown.page, "retention")["rows"] or []:
                for column, cell in row["cells"].items():
                    if column == "size" or cell["value"] is None:
                        continue
                    end = add(bucket_start(bucket, row["key"], int(column[1:]) + 1), -1)
                    self.assertEqual(cell["open"], end >= shown.period.today, f"{row['key']} {column}")
                    kinds.add((bucket, cell["open"]))
        self.assertEqual(kinds, {(bucket, is_open) for bucket in ["day", "week", "month"] for is_open in [True, False]})

    @in_views()
    def test_versions_are_marked_where_they_came(self, shown):
        marks = version_marks(shown.answers["versions"], shown.period)
        for chart in charts(shown.page):
            if chart["name"] in [*OF_DAYS, "length", "versions"]:
                self.assertEqual({tuple(mark) for mark in chart["marks"]}, marks, chart["name"])
            else:
                self.assertEqual(chart["marks"], [], chart["name"])

    @in_views("default", "zone", "months")
    def test_shares_of_versions_add_up(self, shown):
        """On the last day that is over the areas reach from 0 to 1, one on the other."""
        chart = next(one for one in charts(shown.page) if one["name"] == "versions")
        scale = scale_of(chart)
        ys = [y for area in chart["areas"] for _, y in vertices(area["path"])]
        self.assertAlmostEqual(max(ys), scale(0), delta=0.6)
        self.assertAlmostEqual(min(ys), scale(1), delta=0.6)

    @in_views()
    def test_nothing_complains(self, shown):
        self.assertQuiet(shown.page)


def has_figures(rows, key):
    return any(value for row in rows for column, value in row.items()
               if column != key and isinstance(value, (int, float)))


def scale_of(chart):
    """From a value to its y, by the first and the last gridline."""
    (first, low), (last, high) = chart["ticks"][0], chart["ticks"][-1]
    return lambda value: low + (value - first) * (high - low) / (last - first)


def vertices(path):
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]\s*(-?[\d.]+)[ ,]+(-?[\d.]+)", path)]
