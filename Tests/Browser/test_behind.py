"""The page behind what people put in front of it: a path of a host, a sign-on, answers that are none of the server's."""
import json
import os
import subprocess
from email.utils import format_datetime
from datetime import datetime, timedelta, timezone

from contract.questions import asked_for, questions_of
from driver import REFUSED, Answer
from fixture.canned import Canned, problem
from fixture.case import DashboardCase
from fixture.controls import click, pick_range
from fixture.front import Front
from fixture.reading import asked, panel, said, states

VIEW = {"app": "shop", "range": "7d"}
REFRESH = click("[data-action=refresh]")
HTML = {"Content-Type": "text/html"}
JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}
LOADING_LINE = "Failed to load resource"
# Answers that are none of ours, and what is said of each.
FOREIGN = {
    "a redirect": (Answer(302, {"Location": "/login"}), "redirect"),
    "a redirect elsewhere": (Answer(307, {"Location": "http://127.0.0.1:9/login"}), "redirect"),
    "a login page": (Answer(200, HTML, b"<!doctype html><p>Sign in"), "200"),
    "JSON of something else": (Answer(200, JSON, b'{"hello": []}'), "200"),
    "no object": (Answer(200, JSON, b"null"), "200"),
    "another report": (Answer(200, JSON, b'{"report": "counters", "rows": []}'), "200"),
    "a bad gateway": (Answer(502, HTML, b"<h1>Bad Gateway"), "502"),
    "a 401 of basic auth": (Answer(401, {**HTML, "WWW-Authenticate": 'Basic realm="stats"'}, b"<h1>401"), "password"),
    "a 401 in JSON": (Answer(401, JSON, b'{"code": "unauthorized"}'), "401"),
    "a 401 with a code of its own": (Answer(401, PROBLEM, b'{"code": "login-required"}'), "401"),
    "a 403 with a page": (Answer(403, HTML, b"<h1>Forbidden"), "403"),
    "a 403 with a number": (Answer(403, PROBLEM, b'{"code": 1020}'), "403"),
    "a problem without a code": (Answer(500, PROBLEM, b'{"title": "Internal Server Error", "status": 500}'), "500"),
    "nothing new to whom nothing is old": (Answer(304), "304"),
}


class BehindCase(DashboardCase):
    def front(self, *arguments, **options):
        front = Front(self.world.server, *arguments, **options)
        self.addCleanup(front.close)
        return front

    def assertToken(self, page):
        """It is where it was, and the gate is not there."""
        self.assertEqual(page.run("sessionStorage['sojourn.token']"), self.world.token)
        self.assertNotIn("gate", states(page))

    def assertReady(self, page):
        self.assertEqual({state for name, state in states(page).items() if name != "funnel"}, {"ready"})


class PathTests(BehindCase):
    def test_all_of_it_works_below_a_path(self):
        front = self.front("/stats/")
        page = self.show(VIEW, server=front)
        self.assertReady(page)
        self.world.act(page, pick_range("28d"))
        self.assertReady(page)
        self.assertEqual(page.run("[location.pathname, location.hash]"), ["/stats/", "#app=shop"])
        page.reload()
        page.until("document.readyState === 'complete'")
        self.world.settle(page)
        self.assertReady(page)
        page.run(click("[data-panel=events] [data-action=csv]"))
        page.wait(lambda: page.downloads)
        report, pairs = questions_of({"app": "shop"}, self.world.period({"app": "shop"}))["events"]
        self.assertEqual(page.downloads[0][1], self.world.server.report(report, [*pairs, ("format", "csv")], self.world.token))
        page.run(click("[data-action=leave]"))
        page.until("document.querySelector('[data-panel=gate]')")
        self.assertEqual(page.run("[location.pathname, location.hash]"), ["/stats/", ""])
        self.assertEqual(front.astray, [])
        self.assertGreater(len(front.seen), 40)
        self.assertQuiet(page)

    def test_lines_for_a_shell_have_the_path_however_it_is_written(self):
        front = self.front("/it's%20$(touch%20x);&/")
        page = self.show(VIEW, server=front)
        lines = page.run("[...document.querySelectorAll('[data-action=curl]')].flatMap((one) => one.dataset.curl.split('\\n')).filter((one) => one)")
        self.assertGreater(len(lines), 10)
        for line in lines:
            self.assertIn(f"'{front.origin.replace(chr(39), '%27')}/report/", line)
        # The front knows one way of writing its path; a shell that takes the line for more than a word would not come so far.
        script = lines[0].replace("%27", "'\"'\"'").replace("curl ", "curl -s ", 1)
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=20, check=False,
                              env={**os.environ, "SOJOURN_TOKEN": self.world.token})
        self.assertIn('"report"', done.stdout, done.stderr)
        page = self.show({"app": "void"}, server=front)
        lines = page.run("document.querySelector('[data-panel=headline] pre').textContent")
        self.assertIn(f"'{front.origin.replace(chr(39), '%27')}/v1/apps/void/batches'", lines)

    def test_odd_addresses_of_the_document(self):
        """A file's name, two slashes, a query: the address is kept, and reports are asked beside the document."""
        whole = "location.pathname + location.search + location.hash"
        for path, reports in [("/index.html", "/report"), ("//", "//report"), ("/?lang=en", "/report")]:
            with self.subTest(path=path):
                page = self.page()
                page.intercept(self.rewritten(path))
                page.go(f"{self.world.server.origin}{path}#app=shop&range=7d&token={self.world.token}")
                self.world.settle(page)
                self.assertReady(page)
                self.world.act(page, pick_range("28d"))
                self.assertEqual(page.run(whole), path + "#app=shop")
                self.assertEqual([one.url for one in page.requests[1:] if not one.path.startswith(reports)], [])
                page.run(click("[data-action=leave]"))
                self.assertEqual(page.run(whole), path)
                page.close()

    def rewritten(self, path):
        """The server's own answers, the document's for `path`, the reports' whatever slashes are before them."""
        def answer(request):
            place = "/" + request.url.split("#")[0].split("/", 3)[3]
            known = {name: value for name, value in request.headers.items() if name.lower() == "authorization"}
            status, fields, body = self.world.server.request(
                "GET", "/" if place == path else "/" + place.lstrip("/"), headers=known)
            return Answer(status, {name: value for name, value in fields.items() if name != "content-length"}, body)
        return answer

    def test_a_name_and_a_password_in_the_address(self):
        page = self.page()
        page.go(f"http://reader:secret@127.0.0.1:{self.world.server.port}/#app=shop&range=7d&token={self.world.token}")
        self.world.settle(page)
        self.assertReady(page)
        self.world.act(page, pick_range("28d"))
        self.assertNotIn("secret", page.run("document.querySelector('[data-action=curl]').dataset.curl"))
        self.assertEqual(page.complaints, [])


class SignOnTests(BehindCase):
    def signed(self, path, fields):
        """Passes on what has the sign-on's cookie."""
        if path.startswith("/report") and "front=yes" not in fields.get("cookie", ""):
            return 302, {"Location": "/login"}, b""
        return None

    def sign_in(self, page, front):
        page.send("Network.setCookie", name="front", value="yes", url=front.origin, httpOnly=True, sameSite="Lax")

    def test_the_cookie_goes_with_each_question_and_each_file(self):
        front, page = self.front(gate=self.signed), self.page()
        self.sign_in(page, front)
        self.show(VIEW, page=page, server=front)
        self.assertReady(page)
        page.run(click("[data-panel=events] [data-action=csv]"))
        page.wait(lambda: page.downloads)
        self.assertTrue(page.downloads[0][1].startswith(b"name,"))
        self.assertGreater(len(front.seen), 15)
        self.assertQuiet(page)

    def test_a_sign_on_that_has_ended_is_said_and_a_reload_after_it_goes_on(self):
        front, page = self.front(gate=self.signed), self.page()
        self.sign_in(page, front)
        self.show(VIEW, page=page, server=front)
        page.send("Network.clearBrowserCookies")
        self.world.act(page, REFRESH)
        self.assertEqual({state for name, state in states(page).items() if name != "funnel"}, {"error foreign"})
        words = panel(page, "events")["text"]
        for part in ["redirect", "sign in", "reload", "token stays"]:
            self.assertIn(part, words)
        self.assertToken(page)
        # To another origin and back, as a sign-on does.
        page.go(self.world.folder.origin + "/dates.js")
        page.until(f"location.origin === '{self.world.folder.origin}'")
        self.sign_in(page, front)
        page.go(front.origin + "/#app=shop&range=7d")
        self.world.settle(page)
        self.assertReady(page)
        self.assertQuiet(page)


class PasswordTests(BehindCase):
    def test_a_front_that_wants_a_password_is_said_once_the_dialog_is_closed(self):
        """The browser asks for it itself, whatever the page does: questions that have cookies may have passwords."""
        def gate(path, fields):
            if path.startswith("/report") and not fields.get("authorization", "").startswith("Basic "):
                return 401, {**HTML, "WWW-Authenticate": 'Basic realm="stats"'}, b"<h1>401"
            return None

        front, page = self.front(gate=gate), self.page()
        page.intercept(lambda request: None)
        self.world.come(page, "app=shop&range=7d", server=front)
        page.until("document.querySelector('[data-panel=headline][data-state=error]')")
        self.assertEqual(states(page), {"headline": "error foreign"})
        self.assertIn("password", panel(page, "headline")["text"])
        self.assertToken(page)
        self.assertEqual({fields["authorization"] for path, fields in front.seen if path.startswith("/report")},
                         {"Bearer " + self.world.token})


class ForeignTests(BehindCase):
    def foreign(self, answer, reports=("/report/events",)):
        page = self.page()
        page.intercept(lambda request: answer if request.path in reports else None)
        return page

    def test_what_is_none_of_ours_is_said_in_its_panel_and_the_token_stays(self):
        page, answers = self.show(VIEW), []
        page.intercept(lambda request: answers[-1] if request.path == "/report/events" else None)
        # Another range each time, so that there is no answer of before.
        for days, (name, (answer, words)) in enumerate(FOREIGN.items(), 8):
            with self.subTest(answer=name):
                answers.append(answer)
                self.world.act(page, f"location.hash = '#app=shop&range={days}d'")
                self.assertState(page, "events", "error", "foreign")
                self.assertIn(words, panel(page, "events")["text"])
                self.assertEqual({state for other, state in states(page).items() if other not in ["events", "funnel"]}, {"ready"})
                self.assertToken(page)
        self.assertQuiet(page, LOADING_LINE)

    def test_the_same_of_the_list_of_apps(self):
        for name, (answer, words) in FOREIGN.items():
            with self.subTest(answer=name):
                page = self.foreign(answer, ["/report"])
                self.world.come(page, "app=shop&range=7d")
                page.until("document.querySelector('[data-panel=headline][data-state=error]')")
                self.assertEqual(states(page), {"headline": "error foreign"})
                self.assertIn(words, panel(page, "headline")["text"])
                self.assertToken(page)
                page.stop_intercepting()
                page.run(click("[data-action=retry]"))
                page.until("document.querySelector('[data-panel=events][data-state=ready]')")
                page.close()

    def test_ours_are_ours(self):
        page = self.foreign(problem("engine-unavailable", 503))
        self.show(VIEW, page=page)
        self.assertState(page, "events", "error", "engine-unavailable")
        page.stop_intercepting()
        page.intercept(lambda request: problem("unauthorized", 401) if request.path == "/report/videos" else None)
        page.run(REFRESH)
        page.until("document.querySelector('form[data-panel=gate][data-state=unauthorised]')")
        self.assertEqual(page.run("sessionStorage.length"), 0)

    def test_no_server_and_an_answer_that_is_cut_are_unreachable(self):
        cut = False

        def gate(path, fields):
            if cut and path.startswith("/report/events"):
                return 200, {**JSON, "Content-Length": "900", "Connection": "close"}, b'{"report": "events", "rows": ['
            return None

        page = self.foreign(REFUSED)
        self.show(VIEW, page=page)
        self.assertState(page, "events", "error", "unreachable")
        cut, page = True, self.page()
        self.show(VIEW, page=page, server=self.front(gate=gate))
        self.assertState(page, "events", "error", "unreachable")
        self.assertToken(page)

    def test_a_login_page_is_not_saved_as_a_file(self):
        for name in ["a redirect", "a login page", "a 401 of basic auth"]:
            with self.subTest(answer=name):
                answer, words = FOREIGN[name]
                page = self.show(VIEW)
                page.intercept(lambda request: answer if ("format", "csv") in request.pairs else None)
                page.run(click("[data-panel=events] [data-action=csv]"))
                page.until("document.querySelector('[role=status]').textContent !== ''")
                self.assertIn(words, said(page))
                self.assertEqual(page.downloads, [])
                self.assertToken(page)
                page.close()

    def test_values_to_filter_by_that_are_none_leave_the_token(self):
        answer, _ = FOREIGN["a 401 of basic auth"]
        page = self.show(VIEW)
        page.intercept(lambda request: answer if request.path == "/report/versions" else None)
        page.run("""(() => { document.querySelector('[data-action=filter]').click(); const key = document.querySelector('dialog select');
          key.value = 'os.version'; key.dispatchEvent(new Event('change')); })()""")
        page.until("document.querySelector('dialog .choices').textContent.includes('cannot be listed')")
        self.assertToken(page)

    def test_the_clock_is_that_of_the_servers_own_answers(self):
        moment, page = datetime(2026, 11, 23, 12, tzinfo=timezone.utc), self.page()
        wrong = {**HTML, "Date": format_datetime(moment + timedelta(days=900), usegmt=True)}
        page.intercept(Canned(moment, "UTC"))
        page.intercept(lambda request: Answer(502, wrong, b"<h1>") if request.path == "/report/events" else None)
        self.show(VIEW, page=page)
        before = asked(page)
        self.assertState(page, "events", "error", "foreign")
        page.requests.clear()
        self.world.act(page, pick_range("28d"))
        self.world.act(page, pick_range("7d"))
        self.assertEqual([one for one in before if one not in asked(page)], [])

    def test_a_zone_that_the_server_has_lost(self):
        words = "the app's time zone US/Pacific is not in tzdata; sojourn app set shop --time-zone America/Los_Angeles"
        body = json.dumps({"code": "time-zone-gone", "status": 409, "detail": words}).encode()
        page = self.page()
        page.intercept(lambda request: Answer(409, PROBLEM, body) if "tz" not in dict(request.pairs) and request.path.startswith("/report/") else None)
        self.show(VIEW, page=page)
        self.assertState(page, "headline", "error", "time-zone-gone")
        for part in [words, "another time zone"]:
            self.assertIn(part, panel(page, "headline")["text"])
        self.world.act(page, """const list = document.querySelector('select[data-control=tz]'); list.value = 'UTC';
          list.dispatchEvent(new Event('change', { bubbles: true }));""")
        self.assertReady(page)
        view = {**VIEW, "tz": "UTC"}
        expected = asked_for(questions_of(view, self.world.period(view)))
        self.assertEqual([one for one in expected if one not in asked(page)], [])
