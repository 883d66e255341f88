"""The view in the address, its controls, and its history."""
import threading
from urllib.parse import parse_qsl

from contract.address import format_address
from contract.periods import add
from contract.questions import asked_for, questions_of
from fixture.case import DashboardCase
from fixture.controls import choose, click, pick_range, run_funnel, submit_dates
from fixture.population import HOSTILE
from fixture.reading import PANELS, asked, panel, said, states

FULL = {"app": "shop", "range": "14d", "tz": "Asia/Kathmandu", "cohort": "day", "dimension": "os.name", "within": "7d",
        "filters": [("os.name", "iOS"), ("os.name", "Android"), ("service.version", "a=b&c#d")],
        "steps": ["screen.view:app.screen.name=menu", "session.end"]}


class ViewCase(DashboardCase):
    def assertView(self, page, view):
        """The address says it, and its questions have been asked."""
        self.assertEqual(parse_qsl(page.run("location.hash.slice(1)")), parse_qsl(format_address(view)))
        expected = asked_for(questions_of(view, self.world.period(view)))
        self.assertEqual([one for one in expected if one not in asked(page)], [])


class AddressTests(ViewCase):
    def test_a_bookmark_shows_the_same(self):
        page = self.show(FULL)
        self.assertView(page, FULL)
        address, questions = page.run("location.href"), asked(page)
        other = self.page()
        other.go(self.world.server.origin)
        other.until("document.querySelector('[data-panel=gate]')")
        other.run(f"sessionStorage.setItem('sojourn.token', '{self.world.token}')")
        other.go("about:blank")
        other.go(address)
        self.world.settle(other)
        self.assertEqual(asked(other), questions)
        self.assertEqual(other.run("location.href"), address)

    def test_a_reload_shows_the_same(self):
        page = self.show(FULL)
        address, questions = page.run("location.href"), asked(page)
        page.requests.clear()
        page.run("document.body.id = 'before'")
        page.reload()
        page.until("document.body && document.body.id !== 'before'")
        self.world.settle(page)
        self.assertEqual((page.run("location.href"), asked(page)), (address, questions))

    def test_the_address_becomes_canonical_without_an_entry(self):
        page = self.page()
        self.world.come(page, "within=24h&dimension=service.version&zzz=1&range=28d&os.name=iOS&app=shop&tz=Europe/Paris")
        self.world.settle(page)
        self.assertEqual(page.run("location.hash"), "#app=shop&os.name=iOS")
        self.assertEqual(page.run("history.length"), 2)

    def test_ill_formed_members_are_said_and_left_out(self):
        page = self.page()
        self.world.come(page, "app=shop&range=0d&tz=europe/berlin&cohort=year&dimension=x&within=1y&step=one&os.name=")
        self.world.settle(page)
        for name in ["range", "tz", "cohort", "dimension", "within", "step", "os.name"]:
            self.assertIn(name, said(page))
        self.assertView(page, {"app": "shop"})
        self.world.act(page, pick_range("7d"))
        self.assertEqual(said(page), "")
        self.assertQuiet(page)

    def test_a_fragment_changed_by_hand_is_followed(self):
        page = self.show({"app": "shop"})
        self.world.act(page, "location.hash = '#app=shop&range=7d&os.name=iOS'")
        self.assertView(page, {"app": "shop", "range": "7d", "filters": [("os.name", "iOS")]})

    def test_an_app_that_the_token_may_not_ask_is_not_asked(self):
        token = self.world.cached("token of shop", lambda: self.world.server.token("report", "shop")["token"])
        for app in ["odd", "nope", "<b>"]:
            page = self.page()
            self.world.come(page, format_address({"app": app}), token)
            page.until("document.querySelector('[data-panel=headline][data-state=error]') && document.body.dataset.settled")
            self.assertEqual(states(page), {"headline": "error forbidden"})
            self.assertEqual((asked(page), page.run("document.querySelectorAll('[data-metric]').length")), ([], 0))
            self.assertQuiet(page)


class ControlTests(ViewCase):
    def test_every_control_makes_one_entry_and_back_and_forward_go_through_them(self):
        page, view = self.show({"app": "shop"}), {"app": "shop"}
        period = self.world.period(view)
        dates = add(period.to, -20), add(period.to, -9)
        changes = [
            (pick_range("7d"), {"range": "7d"}),
            (choose("tz", "UTC"), {"tz": "UTC"}),
            (choose("dimension", "os.version"), {"dimension": "os.version"}),
            (choose("cohort", "week"), {"cohort": "week"}),
            (run_funnel("session.start", "screen.view", "session.end"), {"steps": ["session.start", "screen.view", "session.end"]}),
            (submit_dates(*dates), {"range": "..".join(dates)}),
            (choose("tz", "Europe/Paris"), {"tz": None}),
            (pick_range("91d"), {"range": "91d"}),
            (run_funnel("", "", ""), {"steps": []}),
        ]
        views = [view]
        for script, members in changes:
            before = page.run("history.length")
            self.world.act(page, script)
            views.append({**views[-1], **members})
            self.assertView(page, views[-1])
            self.assertEqual(page.run("history.length"), before + 1, script)
        for earlier in reversed(views[:-1]):
            self.world.act(page, "history.back()")
            self.assertView(page, earlier)
        for later in views[1:]:
            self.world.act(page, "history.forward()")
            self.assertView(page, later)
        self.assertQuiet(page)

    def test_the_same_again_makes_no_entry(self):
        page = self.show({"app": "shop", "range": "7d"})
        before = page.run("history.length"), len(page.requests)
        page.run(pick_range("7d"))
        page.run(f"(() => {{ {choose('tz', 'Europe/Paris')} }})()")
        self.assertEqual((page.run("history.length"), len(page.requests)), before)

    def test_a_filter_is_chosen_shown_and_removed(self):
        page, view = self.show({"app": "shop", "range": "7d"}), {"app": "shop", "range": "7d"}
        page.run(click("[data-action=filter]"))
        page.until("document.querySelector('[data-option]')")
        value = page.run("document.querySelector('[data-option]').dataset.option")
        self.world.act(page, click("[data-option]"))
        self.assertView(page, {**view, "filters": [("os.name", value)]})
        typed = HOSTILE[0]
        page.run(click("[data-action=filter]"))
        page.run("document.querySelector('dialog input[name=value]').focus()")
        page.write(typed)
        self.world.act(page, "document.querySelector('dialog form').requestSubmit()")
        filters = [["os.name", value], ["os.name", typed]]
        self.assertEqual(page.run("[...document.querySelectorAll('button[data-filter]')].map((one) => [one.dataset.filter, one.dataset.value])"), filters)
        self.assertView(page, {**view, "filters": [tuple(pair) for pair in filters]})
        for _ in filters:
            self.world.act(page, click("[data-filter]"))
        self.assertView(page, view)
        self.assertQuiet(page)

    def test_dates_that_are_none_are_said_in_the_dialog(self):
        page = self.show({"app": "shop", "range": "7d"})
        before = page.run("location.href")
        for first, last, words in [("2026-05-02", "2026-05-01", "earlier"), ("2020-01-01", "2026-01-01", "1,000")]:
            page.run(f"(() => {{ {submit_dates(first, last)} }})()")
            self.assertIn(words, page.run("document.querySelector('dialog [role=alert]').textContent"))
            page.run("document.querySelector('dialog').close()")
            page.until("!document.querySelector('dialog')")
        self.assertEqual(page.run("location.href"), before)

    def test_one_step_is_no_funnel_and_names_are_suggested(self):
        page = self.show({"app": "shop", "range": "7d"})
        before = page.run("location.href")
        page.run(f"(() => {{ {run_funnel('session.start', '')} }})()")
        self.assertEqual(page.run("location.href"), before)
        self.assertIn("two steps", panel(page, "funnel")["text"])
        names = page.run("[...document.querySelector('[data-control=funnel] input').list.options].map((one) => one.value)")
        self.assertEqual(names, [row["key"] for row in panel(page, "events")["rows"]])

    def test_apps_are_a_list_or_a_name(self):
        page = self.show()
        options = page.run("[...document.querySelectorAll('select[data-control=app] option')].map((one) => [one.value, one.textContent])")
        self.assertEqual(options, [["odd", HOSTILE[0]], ["shop", "Shop & Söhne"], ["void", "Nothing yet"]])
        self.assertEqual(page.run("location.hash"), "#app=odd")
        self.world.act(page, choose("app", "shop"))
        self.assertView(page, {"app": "shop"})
        self.assertEqual(page.run("document.querySelector('h1').textContent"), "Shop & Söhne")
        token = self.world.cached("token of shop", lambda: self.world.server.token("report", "shop")["token"])
        page = self.show(token=token)
        self.assertEqual(page.run("document.querySelector('[data-control=app]').outerHTML.startsWith('<select')"), False)
        self.assertEqual(page.run("document.querySelector('[data-control=app]').textContent"), "Shop & Söhne")
        self.assertEqual(page.run("location.hash"), "#app=shop")


class LateAnswerTests(ViewCase):
    def test_an_answer_to_an_earlier_view_is_dropped(self):
        page, go = self.page(), threading.Event()
        self.addCleanup(go.set)
        late = []

        def hold(request):
            if request.path == "/report/events" and "late" in dict(request.pairs).get("os.name", ""):
                late.append(request.url)
                go.wait(page.patience)

        page.intercept(hold)
        self.show({"app": "shop", "range": "7d"}, page=page)
        right = panel(page, "events")["rows"]
        page.run("location.hash = '#app=shop&range=7d&os.name=late'")
        page.until("document.querySelector('[data-panel=events][data-state=loading]')")
        page.wait(lambda: late)
        self.world.act(page, "history.back()")
        go.set()
        slow = next(one for one in page.requests if "os.name=late" in one.url and one.path == "/report/events")
        page.wait(lambda: slow.outcome)
        page.run("new Promise((done) => setTimeout(done, 100))")
        self.assertEqual(panel(page, "events")["rows"], right)
        self.assertEqual(set(states(page).values()) - {"ready", "empty"}, set())
        self.assertQuiet(page)


class SavingTests(ViewCase):
    def test_files_are_the_reports_byte_for_byte(self):
        view = {"app": "shop", "range": "7d", "steps": ["session.start", "session.end"]}
        questions = questions_of(view, self.world.period(view))
        names = [name for name in PANELS if name != "headline"]
        # A browser saves at most ten files of a page by itself.
        for half in [names[:7], names[7:]]:
            page = self.show(view)
            for name in half:
                before = len(page.downloads)
                page.run(click(f"[data-panel={name}] [data-action=csv]"))
                page.wait(lambda: len(page.downloads) > before, words=f"no file of {name}")
                report, pairs = questions[{"actives": "active", "newcomers": "active"}.get(name, name)]
                expected = self.world.server.report(report, [*pairs, ("format", "csv")], self.world.token)
                days = dict(pairs)
                self.assertEqual(page.downloads[-1], (f"shop-{name}-{days['from']}-{days['to']}.csv", expected))
            page.close()

    def test_lines_for_a_shell_are_the_questions(self):
        view = {"app": "shop", "range": "7d", "filters": [("os.name", "it's $(x)")]}
        page, period = self.show(view), self.world.period(view)
        questions = questions_of(view, period)
        lines = page.run("Object.fromEntries([...document.querySelectorAll('[data-action=curl]')].map((one) => [one.closest('[data-panel]').dataset.panel, one.dataset.curl]))")
        for name, text in lines.items():
            count = {"quality": 2, "funnel": 0}.get(name, 1)
            found = text.splitlines()
            self.assertEqual(len(found), count, name)
            self.assertTrue(all(line.startswith('curl -H "Authorization: Bearer $SOJOURN_TOKEN" \'http://') for line in found))
            self.assertNotIn(self.world.token, text)
            if count == 1:
                report, pairs = questions[{"actives": "active", "newcomers": "active"}.get(name, name)]
                url = found[0].split("'")[1]
                self.assertIn(f"/report/{report}?", url)
                self.assertEqual(sorted(parse_qsl(url.split("?")[1])), sorted(pairs))
