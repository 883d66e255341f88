"""The token: where it comes from, where it stands, and how it goes."""
from fixture.canned import problem
from fixture.case import DashboardCase
from fixture.controls import click
from fixture.reading import PANELS, asked, states

GATE = "document.querySelector('form[data-panel=gate]')"
REFUSED = "document.querySelector('form[data-panel=gate][data-state=unauthorised]')"
REFRESH = click("[data-action=refresh]")
UNAUTHORISED_LINE = "Failed to load resource"


class TokenCase(DashboardCase):
    def assertGone(self, page, *secrets):
        """The gate is all there is: no figure, no name, no token."""
        self.assertEqual(list(states(page)), ["gate"])
        self.assertEqual(page.run("[document.title, sessionStorage.length, localStorage.length, document.cookie]"), ["Sojourn", 0, 0, ""])
        self.assertEqual(page.run("document.querySelectorAll('[data-metric], [data-column], svg[data-chart], dialog').length"), 0)
        self.assertEqual(page.run("document.body.dataset.settled ?? null"), None)
        text = page.run("document.documentElement.outerHTML.replace(/<script>.*?<\\/script>/s, '')")
        for secret in ["Shop &amp; Söhne", *secrets]:
            self.assertNotIn(secret, text)

    def assertHidden(self, page, token):
        """The token stands in sessionStorage and nowhere else."""
        self.assertEqual(page.run("Object.entries(sessionStorage)"), [["sojourn.token", token]])
        everywhere = page.run("""[document.documentElement.outerHTML, document.title, location.href, JSON.stringify(history.state),
          document.cookie, JSON.stringify(localStorage), ...[...document.querySelectorAll('input')].map((one) => one.value)].join(' ')""")
        # A browser remembers by itself what was typed (`userTypedURL`); the guide says so.
        history = [one["url"] + one["title"] for one in page.send("Page.getNavigationHistory")["entries"]]
        names = [name for name, _ in page.downloads]
        for place in [everywhere, str(history), " ".join(page.complaints), " ".join(names)]:
            self.assertNotIn(token, place)
        for one in page.requests:
            self.assertNotIn(token, one.url.replace(f"#app=shop&token={token}", ""))


class GateTests(TokenCase):
    def test_a_token_is_typed_kept_and_shown_nowhere(self):
        page, token = self.page(), self.world.token
        page.go(self.world.server.origin + "/#app=shop&range=7d")
        page.until(GATE)
        self.assertEqual(page.run("(() => { const one = document.querySelector('input[name=token]'); return [one.type, one.autocomplete]; })()"), ["password", "off"])
        self.assertEqual(asked(page), [])
        page.run("document.querySelector('input[name=token]').focus()")
        page.write(f"  {token}\n")
        page.press("Enter")
        self.world.settle(page)
        page.run(click("[data-panel=events] [data-action=csv]"))
        page.wait(lambda: page.downloads)
        page.run("document.querySelectorAll('[data-action=curl], [data-action=table]').forEach((one) => one.click())")
        self.assertHidden(page, token)
        self.assertEqual(page.run("location.hash"), "#app=shop&range=7d")
        self.assertQuiet(page)

    def test_a_401_beside_the_panels_takes_everything_away_too(self):
        beside = {"CSV": click("[data-panel=events] [data-action=csv]"), "values to filter by": """(() => {
          document.querySelector('[data-action=filter]').click();
          const key = document.querySelector('dialog select');
          key.value = 'os.version';
          key.dispatchEvent(new Event('change')); })()"""}
        for name, act in beside.items():
            with self.subTest(asked=name):
                page = self.show({"app": "shop", "range": "7d"})
                page.intercept(lambda request: problem("unauthorized", 401) if request.path.startswith("/report/") else None)
                page.run(act)
                page.until(REFUSED)
                self.assertGone(page, self.world.token)

    def test_what_no_field_can_carry_is_no_token(self):
        page = self.page()
        page.go(self.world.server.origin + "/#token=sj_abc%E2%80%A6")
        page.until(REFUSED)
        self.assertEqual(page.run("sessionStorage.length"), 0)
        self.assertEqual(asked(page), [])

    def test_the_field_is_emptied(self):
        page = self.page()
        page.go(self.world.server.origin)
        page.until(GATE)
        value = page.run("""(() => { const form = document.querySelector('[data-panel=gate]'), field = form.elements.token;
          field.value = 'sj_nonsense'; form.requestSubmit(); return field.value; })()""")
        self.assertEqual(value, "")
        page.until(REFUSED)
        self.assertGone(page, "sj_nonsense")

    def test_a_wrong_token_brings_the_gate_back_with_a_sentence(self):
        page = self.page()
        self.world.come(page, "app=shop", "sj_nonsense")
        page.until(REFUSED)
        self.assertGone(page, "sj_nonsense")
        self.assertRegex(page.run("document.querySelector('[role=alert]').textContent"), r"\w+ \w+ \w+")
        self.assertQuiet(page, UNAUTHORISED_LINE)

    def test_a_token_of_another_scope_brings_the_gate_back(self):
        page, token = self.page(), self.world.ingest["shop"]
        self.world.come(page, "app=shop", token)
        page.until(REFUSED)
        self.assertGone(page, token)
        self.assertIn("scope", page.run("document.querySelector('[role=alert]').textContent"))


class AddressTokenTests(TokenCase):
    def test_it_is_taken_out_before_the_first_request(self):
        page, token = self.page(), self.world.token
        # What the address is whenever something is asked.
        page.send("Page.addScriptToEvaluateOnNewDocument", source="""window.seen = []; const ask = fetch;
          window.fetch = (...some) => { seen.push(location.href); return ask(...some); };""")
        self.world.come(page, "app=shop")
        self.world.settle(page)
        seen = page.run("seen")
        self.assertGreater(len(seen), 10)
        self.assertEqual([one for one in seen if "token" in one], [])
        self.assertHidden(page, token)
        self.assertEqual(page.run("history.length"), 2)
        self.assertQuiet(page)

    def test_it_is_taken_while_the_page_is_open(self):
        page = self.show({"app": "shop", "range": "7d"})
        other = self.world.server.token("report", "shop")["token"]
        page.requests.clear()
        self.world.act(page, f"location.hash = '#app=shop&range=14d&token={other}'")
        self.assertEqual({one.header("authorization") for one in page.requests if one.path.startswith("/report")}, {"Bearer " + other})
        self.assertEqual(page.run("[location.hash, sessionStorage['sojourn.token']]"), ["#app=shop&range=14d", other])
        self.assertHidden(page, other)

    def test_it_is_taken_at_the_gate(self):
        page = self.page()
        page.go(self.world.server.origin)
        page.until(GATE)
        page.run(f"location.hash = '#token={self.world.token}&app=shop'")
        self.world.settle(page)
        self.assertHidden(page, self.world.token)
        self.assertEqual(page.run("location.hash"), "#app=shop")

    def test_history_does_not_bring_it_back(self):
        page = self.show({"app": "shop"})
        self.world.act(page, click("[data-control=range] input[value='7d']"))
        self.world.act(page, "history.back()")
        self.assertHidden(page, self.world.token)


class EndTests(TokenCase):
    def test_a_revoked_token_takes_everything_with_it(self):
        made = self.world.server.token("report")
        page = self.show({"app": "shop", "range": "7d"}, token=made["token"])
        page.run(click("[data-action=filter]"))
        self.world.server.command("token", "revoke", str(made["id"]))
        page.run(REFRESH)
        page.until(REFUSED)
        self.assertGone(page, made["token"])
        page.requests.clear()
        page.run("location.hash = '#app=shop&range=14d'")
        page.run("new Promise((done) => setTimeout(done, 150))")
        self.assertEqual(asked(page), [])

    def test_a_401_of_one_report_is_enough(self):
        page = self.show({"app": "shop", "range": "7d"})
        page.intercept(lambda request: problem("unauthorized", 401) if request.path == "/report/videos" else None)
        page.run(REFRESH)
        page.until(REFUSED)
        self.assertGone(page, self.world.token)

    def test_leaving_takes_the_view_too(self):
        page = self.show({"app": "shop", "range": "7d"})
        page.run(click("[data-action=leave]"))
        page.until(GATE)
        self.assertGone(page, self.world.token)
        self.assertEqual(page.run("[location.pathname, location.hash, document.querySelector('[data-panel=gate]').dataset.state]"), ["/", "", "ready"])
        self.assertQuiet(page)
        page.reload()
        page.until("document.readyState === 'complete' && " + GATE)
        self.assertGone(page, self.world.token)

    def test_an_answer_under_way_does_not_come_back_after_leaving(self):
        page = self.show({"app": "shop", "range": "7d"})
        page.run(REFRESH + click("[data-action=leave]"))
        page.until(GATE)
        page.run("new Promise((done) => setTimeout(done, 300))")
        self.assertGone(page, self.world.token)
        self.assertEqual([name for name in states(page) if name in PANELS], [])
