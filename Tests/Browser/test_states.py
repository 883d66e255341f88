"""Every state of a panel: what fails, what is hidden, what is not there."""
import json
import os
import subprocess
import tempfile
import time
from datetime import date, timedelta

from contract.figures import headline_figures
from contract.questions import questions_of
from driver import REFUSED, Answer
from fixture.canned import problem
from fixture.case import DashboardCase
from fixture.controls import click
from fixture.reading import PANELS, asked, panel, states

VIEW = {"app": "shop", "range": "7d"}
LOADING_LINE = "Failed to load resource"
FAILURES = {
    "report-timeout": problem("report-timeout"),
    "report-too-large": problem("report-too-large"),
    "invalid-parameter": problem("invalid-parameter", 400),
    "internal-error": problem("internal-error", 500),
}


def failing(report, answer):
    return lambda request: answer if request.path == "/report/" + report else None


class FailureTests(DashboardCase):
    def others(self, page, *names):
        return {name: state for name, state in states(page).items() if name not in names}

    def test_one_panels_error_leaves_the_others_alone(self):
        for code, answer in FAILURES.items():
            with self.subTest(code=code):
                page = self.page()
                page.intercept(failing("events", answer))
                self.show(VIEW, page=page)
                self.assertState(page, "events", "error", code)
                self.assertEqual(set(self.others(page, "events", "funnel").values()), {"ready"})
                if code.startswith("report-"):
                    self.assertIn("shorter range", panel(page, "events")["text"])
                self.assertQuiet(page, LOADING_LINE)
                page.close()

    def test_rows_of_another_shape_are_none_of_ours_and_the_page_goes_on(self):
        odd = {"/report/events": [None], "/report/funnel": [], "/report/quality": [{"date": "2026-11-01", "batches": None}]}

        def answer(request):
            rows = odd.get(request.path)
            body = json.dumps({"report": request.path.removeprefix("/report/"), "rows": rows}).encode()
            return None if rows is None else Answer(200, {"Content-Type": "application/json"}, body)

        page = self.page()
        page.intercept(answer)
        self.show({**VIEW, "steps": ["session.start", "session.end"]}, page=page)
        for name in ["events", "funnel"]:
            self.assertState(page, name, "error", "foreign")
        self.assertEqual(set(self.others(page, "events", "funnel", "quality").values()), {"ready"})
        self.assertQuiet(page)

    def test_what_is_rare_on_a_day_is_other(self):
        def answer(request):
            if request.path != "/report/versions":
                return None
            row = {"date": dict(request.pairs)["from"], "value": "1.0", "devices": 1, "share": 1, "sessions": 1, "new": 0}
            first = (date.fromisoformat(row["date"]) + timedelta(7)).isoformat()
            body = json.dumps({"report": "versions", "rows": [row, {**row, "date": first}]}).encode()
            return Answer(200, {"Content-Type": "application/json"}, body)

        page = self.page()
        page.intercept(answer)
        self.show(VIEW, page=page)
        key = page.run("[...document.querySelectorAll('[data-panel=versions] .key li')].map((one) => one.innerText.replace(/\\s+/g, ' '))")
        self.assertEqual(key, ["1.0 0.0%", "other 100.0%"])

    def test_an_app_with_older_events_is_not_told_to_send_a_first(self):
        page = self.show({"app": "shop", "range": "2024-03-01..2024-04-01"})
        self.assertState(page, "headline", "ready")
        self.assertEqual(panel(page, "headline")["metrics"]["sessions"]["value"], 0)
        self.assertLessEqual(len(page.requests), 20)

    def test_trying_again_asks_that_panel_alone(self):
        page = self.page()
        page.intercept(failing("events", problem("report-timeout")))
        self.show(VIEW, page=page)
        page.stop_intercepting()
        page.run("window.kept = [...document.querySelectorAll('[data-panel]:not([data-panel=events]) *')]")
        page.requests.clear()
        self.world.act(page, click("[data-panel=events] [data-action=retry]"))
        self.assertState(page, "events", "ready")
        self.assertEqual([report for report, _ in asked(page)], ["events"])
        self.assertTrue(page.run("kept.every((one) => one.isConnected)"))

    def test_a_question_of_several_panels_fails_in_each(self):
        page = self.page()
        page.intercept(failing("active", problem("report-timeout")))
        self.show(VIEW, page=page)
        for name in ["headline", "actives", "newcomers"]:
            self.assertState(page, name, "error", "report-timeout")
        self.assertEqual(set(self.others(page, "headline", "actives", "newcomers", "funnel").values()), {"ready"})
        self.assertEqual(page.run("document.querySelectorAll('[data-panel=headline] [data-metric]').length"), 0)

    def test_overloaded_is_asked_again_three_times_after_the_time_it_says(self):
        page, moments = self.page(), []

        def busy(request):
            if request.path == "/report/events":
                moments.append(time.monotonic())
                return problem("overloaded", Retry_After="1" if len(moments) == 1 else "0")

        page.intercept(busy)
        self.show(VIEW, page=page)
        self.assertEqual(len(moments), 4)
        self.assertGreaterEqual(moments[1] - moments[0], 0.95)
        self.assertState(page, "events", "error", "overloaded")
        self.assertEqual(set(self.others(page, "events", "funnel").values()), {"ready"})

    def test_overloaded_twice_is_no_error(self):
        page, times = self.page(), []

        def busy(request):
            if request.path == "/report/events" and len(times) < 2:
                times.append(1)
                return problem("overloaded", Retry_After="0")

        page.intercept(busy)
        self.show(VIEW, page=page)
        self.assertState(page, "events", "ready")

    def test_other_failures_are_not_asked_again(self):
        page = self.page()
        page.intercept(failing("events", problem("report-timeout", Retry_After="0")))
        self.show(VIEW, page=page)
        self.assertEqual(len([one for one in page.requests if one.path == "/report/events"]), 1)

    def test_without_the_list_of_apps_there_is_one_error_that_can_be_retried(self):
        page = self.page()
        page.intercept(lambda request: REFUSED if request.path == "/report" else None)
        self.world.come(page, "app=shop&range=7d")
        page.until("document.querySelector('[data-panel=headline][data-state=error]')")
        self.assertEqual(states(page), {"headline": "error unreachable"})
        page.stop_intercepting()
        page.run(click("[data-action=retry]"))
        page.until("document.querySelector('[data-panel=events][data-state=ready]')")
        self.world.settle(page)
        self.assertState(page, "headline", "ready")

    def test_all_fails_and_comes_back(self):
        page = self.show(VIEW)
        page.intercept(lambda request: REFUSED if request.path.startswith("/report") else None)
        self.world.act(page, click("[data-action=refresh]"))
        self.assertEqual(set(self.others(page, "funnel").values()), {"error unreachable"})
        page.stop_intercepting()
        self.world.act(page, click("[data-action=refresh]"))
        self.assertEqual(set(self.others(page, "funnel").values()), {"ready"})


class HiddenTests(DashboardCase):
    """On a server that hides small groups."""

    def test_what_is_hidden_is_never_a_number(self):
        world, server = self.world, self.world.small
        token = world.cached("small", lambda: server.token("report")["token"])
        view = {"app": "few", "dimension": "os.name", "steps": ["session.start", "order.purchase"]}
        page, period = self.show(view, server=server, token=token), world.period(view, server, token)
        questions = questions_of(view, period)
        answers = {name: world.report(*question, server, token) for name, question in questions.items()}
        hidden = {}
        for name in PANELS[2:]:
            answer = answers[{"actives": "active", "newcomers": "active", "versions": "shares"}.get(name, name)]
            rows = [row for row in answer["rows"] if row.get("date", period.first) >= period.first]
            found = panel(page, name)
            self.assertEqual(found["suppressed"], any(row.get("suppressed") for row in rows) or answer.get("suppressed_rows", 0) != 0, name)
            self.assertEqual(found["state"], "ready", name)
            if name not in ["newcomers", "retention"] and found["rows"]:
                hidden[name] = self.check_rows(name, found["rows"], rows)
        self.assertGreater(sum(hidden.values()), 10, hidden)
        self.assertIn("8 devices", panel(page, "headline")["text"])
        self.check_headline(page, answers, period)
        self.assertQuiet(page)

    def check_rows(self, name, found, rows):
        count = 0
        for cells, row in zip(found, rows, strict=True):
            for column, cell in cells["cells"].items():
                if row[column] is None and row.get("suppressed"):
                    self.assertTrue(cell["suppressed"] and cell["value"] is None, f"{name} {column}: {cell}")
                    self.assertNotRegex(cell["text"], r"\d", f"{name} {column}")
                    count += 1
                else:
                    self.assertFalse(cell["suppressed"], f"{name} {column}: {cell}")
        return count

    def check_headline(self, page, answers, period):
        answers["length_before"] = answers.get("length_before")
        metrics, missing = panel(page, "headline")["metrics"], 0
        for name, (now, before, change) in headline_figures(answers, period).items():
            self.assertSame(metrics[name]["value"], now, name)
            self.assertSame(metrics[name]["before"], before, name)
            self.assertSame(metrics[name]["change"], change, name)
            self.assertEqual(metrics[name]["suppressed"], now is None, name)
            missing += now is None
        self.assertGreater(missing, 0)

    def test_hidden_rows_alone_are_not_empty(self):
        world, server = self.world, self.world.small
        token = world.cached("small", lambda: server.token("report")["token"])
        view = {"app": "few", "range": "2d", "filters": [("os.name", "iOS")]}
        page, alone = self.show(view, server=server, token=token), []
        questions = questions_of(view, world.period(view, server, token))
        for name in ["events", "counters", "content", "videos", "platforms"]:
            answer = world.report(*questions[name], server, token)
            if not answer["rows"] and answer["suppressed_rows"] != 0:
                found = panel(page, name)
                alone.append((name, found["state"], found["suppressed"]))
        self.assertEqual(alone, [(name, "ready", True) for name, _, _ in alone])
        self.assertTrue(alone)

    def test_what_is_hidden_of_the_whole_question_is_not_empty(self):
        def answer(request):
            if request.path in ["/report/events", "/report/platforms"]:
                body = json.dumps({"report": request.path[8:], "suppressed_rows": None, "rows": []}).encode()
                return Answer(200, {"Content-Type": "application/json"}, body)

        page = self.page()
        page.intercept(answer)
        self.show(VIEW, page=page)
        for name in ["events", "platforms"]:
            found = panel(page, name)
            self.assertEqual((found["state"], found["suppressed"]), ("ready", True), name)
            self.assertIn("Rows of few devices are hidden.", found["text"])

    def test_quality_with_filters_says_who_may_ask_it(self):
        server = self.world.small
        token = self.world.cached("small", lambda: server.token("report")["token"])
        page = self.show({"app": "few", "filters": [("os.name", "iOS")]}, server=server, token=token)
        self.assertState(page, "quality", "error", "forbidden")
        self.assertIn("admin tokens only", panel(page, "quality")["text"])
        self.assertState(page, "events", "ready")


class NothingTests(DashboardCase):
    def test_an_app_without_events_says_how_to_send_one_and_the_lines_work(self):
        server = self.world.small
        token = server.token("report")["token"]
        page = self.show({"app": "fresh"}, server=server, token=token)
        found = panel(page, "headline")
        self.assertEqual(found["state"], "empty")
        self.assertEqual(set(states(page).values()), {"empty"})
        lines = page.run("document.querySelector('[data-panel=headline] pre').textContent")
        self.assertIn("fresh", lines)
        self.assertIn(server.origin, lines)
        self.assertNotIn(token, lines)
        self.paste(lines, server)
        page.intercept(lambda request: None)
        self.world.act(page, click("[data-action=refresh]"))
        self.assertState(page, "headline", "ready")
        self.assertEqual([row["key"] for row in panel(page, "events")["rows"] or []], [])
        self.assertQuiet(page)

    def paste(self, lines, server):
        """Into a shell in which `sojourn` is the program at its data."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sojourn")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\nexec {self.world.program} "$@" --data {server.data}\n')
            os.chmod(path, 0o755)
            done = subprocess.run(["bash", "-c", lines.replace("curl ", "curl -s ")], capture_output=True, text=True, timeout=30,
                                  env={**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]})
        self.assertRegex(done.stdout, r'"accepted": ?1\b', done.stderr)

    def test_an_app_without_events_in_another_range(self):
        page = self.show({"app": "void", "range": "91d", "tz": "UTC"})
        self.assertEqual(set(states(page).values()), {"empty"})
        self.assertQuiet(page)

    def test_a_server_without_apps_says_how_to_add_one(self):
        server = self.world.new_server()
        token = server.token("report")["token"]
        server.start()
        self.addCleanup(server.remove)
        page = self.page(server=server)
        self.world.come(page, "", token, server)
        page.until("document.querySelector('[data-panel=headline][data-state=empty]') && document.body.dataset.settled")
        self.assertEqual(states(page), {"headline": "empty"})
        self.assertIn("sojourn app add", panel(page, "headline")["text"])
        self.assertEqual(asked(page), [])
        self.assertQuiet(page)
