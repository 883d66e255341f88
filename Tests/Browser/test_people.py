"""For everyone: with keys, at any width, in either light, without motion, with a screen reader."""
import unittest

from driver import REFUSED
from fixture.axe import axe_path, violations
from fixture.case import DashboardCase
from fixture.controls import click
from fixture.reading import panel

VIEW = {"app": "shop", "steps": ["session.start", "order.menu", "order.checkout"]}
LOOKS = {"light": {}, "dark": {"dark": True}, "narrow": {"width": 390, "touch": True}, "narrow, dark": {"width": 390, "dark": True, "touch": True}}
WIDTHS = [320, 360, 390, 480, 640, 768, 820, 1024, 1280, 1440, 1920]
OPEN_ALL = "document.querySelectorAll('[data-action=table], [data-action=define], [data-action=curl]').forEach((one) => one.click())"
STOPS = "a[href], button, input, select, [tabindex=\"0\"]"


@unittest.skipUnless(axe_path(), "axe-core is not installed")
class AxeTests(DashboardCase):
    def test_the_full_page(self):
        """Dark and narrow by themselves: it has many elements, and axe takes its time for each."""
        for look in ["light", "dark", "narrow"]:
            with self.subTest(look=look):
                page = self.show(VIEW, **LOOKS[look])
                page.run(OPEN_ALL)
                self.assertEqual(violations(page), [])
                page.close()

    def test_the_gate(self):
        for look, options in LOOKS.items():
            with self.subTest(look=look):
                page = self.page(**options)
                self.world.come(page, "", "sj_nonsense")
                page.until("document.querySelector('form[data-panel=gate][data-state=unauthorised]')")
                self.assertEqual(violations(page), [])
                page.close()

    def test_an_app_without_events(self):
        for look in ["light", "narrow, dark"]:
            with self.subTest(look=look):
                page = self.show({"app": "void"}, **LOOKS[look])
                self.assertEqual(violations(page), [])
                page.close()

    def test_errors_everywhere(self):
        for look in ["dark", "narrow"]:
            with self.subTest(look=look):
                page = self.page(**LOOKS[look])
                page.intercept(lambda request: REFUSED if request.path.startswith("/report/") else None)
                self.show(VIEW, page=page)
                self.assertEqual(violations(page), [])
                page.close()

    def test_the_dialogs(self):
        page = self.show({**VIEW, "filters": [("os.name", "iOS")]})
        for action in ["filter", "dates"]:
            page.run(click(f"[data-action={action}]"))
            page.until("document.querySelector('dialog') && !document.querySelector('dialog').textContent.includes('Asking')")
            self.assertEqual(violations(page), [])
            page.press("Escape")
            page.until("!document.querySelector('dialog')")


class LayoutTests(DashboardCase):
    def test_no_width_scrolls_sideways(self):
        page = self.show(VIEW)
        for is_open in [False, True]:
            if is_open:
                page.run(OPEN_ALL)
            for width in WIDTHS:
                page.resize(width)
                page.rendered()
                over = page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                self.assertLessEqual(over, 0, f"{width} px, tables {'open' if is_open else 'closed'}")
                cut = page.run("""[...document.querySelectorAll('main button, main h2, header button, .num')].filter((one) => one.offsetParent
                  && one.scrollWidth > one.clientWidth + 2 && getComputedStyle(one).display !== 'inline' && getComputedStyle(one).overflowX === 'visible')
                  .map((one) => one.textContent)""")
                self.assertEqual(cut, [], f"{width} px")
        self.assertQuiet(page)

    def test_charts_are_drawn_anew_for_the_width(self):
        page = self.show(VIEW)
        for width in [1280, 390]:
            page.resize(width)
            page.rendered()
            page.until("""[...document.querySelectorAll('.plot')].every((one) =>
              Math.abs(one.querySelector('svg').getBoundingClientRect().width - one.clientWidth) < 2)""")

    def test_the_outline_of_the_page(self):
        page = self.show(VIEW)
        found = page.run("""({ h1: document.querySelectorAll('h1').length, main: document.querySelectorAll('main').length, lang: document.documentElement.lang,
          unnamed: [...document.querySelectorAll('section')].filter((one) => !one.getAttribute('aria-label') && !document.getElementById(one.getAttribute('aria-labelledby'))).length,
          skipped: [...document.querySelectorAll('h1, h2, h3, h4')].some((one, place, all) => place && one.tagName[1] - all[place - 1].tagName[1] > 1),
          ids: [...document.querySelectorAll('[id]')].map((one) => one.id).some((id, place, all) => all.indexOf(id) !== place) })""")
        self.assertEqual(found, {"h1": 1, "main": 1, "lang": "en", "unnamed": 0, "skipped": False, "ids": False})

    def test_targets_are_24_pixels(self):
        page = self.show(VIEW)
        for width in [1280, 390]:
            page.resize(width)
            small = page.run(f"""[...document.querySelectorAll('{STOPS}')].map((one) => one.type === 'radio' ? one.closest('label') : one)
              .filter((one) => one.getClientRects().length && !one.matches('.skip')).map((one) => [one.outerHTML.slice(0, 60), one.getBoundingClientRect()])
              .filter(([, box]) => box.width < 24 || box.height < 24).map(([words, box]) => words + box.width + 'x' + box.height)""")
            self.assertEqual(small, [], width)

    def test_forced_colours_leave_the_marks(self):
        page = self.page()
        page.prefer(forced=True)
        self.show(VIEW, page=page)
        drawn = page.run("[...document.querySelectorAll('svg [data-series]')].filter((one) => { const s = getComputedStyle(one); return s.display === 'none' || s.visibility === 'hidden'; }).length")
        self.assertEqual(drawn, 0)
        self.assertQuiet(page)


class KeyTests(DashboardCase):
    def test_tab_goes_through_every_control_in_order_and_shows_where_it_is(self):
        page = self.show(VIEW)
        page.run("document.activeElement.blur(); scrollTo(0, 0)")
        expected = page.run(f"""[...document.querySelectorAll('{STOPS}')].filter((one) => one.getClientRects().length && !one.disabled
          && !(one.type === 'radio' && !one.checked)).map((one, place) => (one.dataset.walk = place) + '')""")
        seen = []
        for _ in range(len(expected) + 15):
            page.press("Tab")
            at = page.run("""(() => { const one = document.activeElement, ring = (x) => { const s = x && getComputedStyle(x); return !!s && (s.outlineStyle !== 'none' || s.boxShadow !== 'none'); };
              const box = one.getBoundingClientRect(), bar = document.querySelector('header').getBoundingClientRect();
              const isStuck = getComputedStyle(document.querySelector('header')).position === 'sticky';
              return { walk: one.dataset.walk ?? null, tag: one.tagName, ring: ring(one) || ring(one.closest('label')),
                covered: isStuck && !one.closest('header') && !one.matches('.skip') && box.bottom <= bar.bottom }; })()""")
            if at["tag"] in ["BODY", "HTML"]:
                break
            self.assertTrue(at["ring"], at)
            self.assertFalse(at["covered"], at)
            if at["walk"] is not None:
                seen.append(at["walk"])
        self.assertEqual(seen, expected)
        self.assertTrue(page.run("document.querySelector('[data-walk=\"0\"]').matches('.skip')"))

    def test_the_skip_link_goes_to_the_figures_and_leaves_the_address(self):
        page = self.show({"app": "shop", "range": "7d"})
        address, count, entries = page.run("location.href"), len(page.requests), page.run("history.length")
        page.run("document.activeElement.blur(); scrollTo(0, 0)")
        page.press("Tab")
        page.press("Enter")
        page.run("new Promise((done) => setTimeout(done, 100))")
        self.assertEqual(page.run("document.activeElement.id"), "main")
        self.assertEqual((page.run("location.href"), len(page.requests), page.run("history.length")), (address, count, entries))

    def test_a_chart_is_a_slider_over_its_days(self):
        page = self.show({"app": "shop"})
        for name in ["actives", "newcomers", "sessions", "versions", "lifetime"]:
            # On a day that none of the greatest versions was used on there is no row, but a place in the chart.
            rows = "actives" if name == "versions" else name
            keys = [row["key"] for row in panel(page, rows)["rows"]]
            slider = f"document.querySelector('[data-panel={name}] [data-scrub]')"
            page.run(slider + ".focus()")
            read = f"(() => {{ const one = {slider}; return [one.getAttribute('role'), one.dataset.key, +one.getAttribute('aria-valuenow'), +one.getAttribute('aria-valuemin'), +one.getAttribute('aria-valuemax'), one.getAttribute('aria-valuetext')]; }})()"
            walk = [("Home", 0), ("ArrowLeft", 0), ("ArrowRight", 1), ("ArrowUp", 2), ("ArrowDown", 1), ("PageUp", 8), ("PageDown", 1), ("End", len(keys) - 1), ("ArrowRight", len(keys) - 1)]
            for key, place in walk:
                page.press(key)
                role, at, now, least, most, text = page.run(read)
                self.assertEqual((role, at, now, least, most), ("slider", keys[place], place, 0, len(keys) - 1), f"{name}: {key}")
            self.assertRegex(text, r"\d")

    def test_a_slider_says_the_date_and_the_figures_of_its_row(self):
        page = self.show({"app": "shop"})
        page.run("document.querySelector('[data-panel=actives] [data-scrub]').focus()")
        page.press("Home")
        row = panel(page, "actives")["rows"][0]
        text = page.run("document.querySelector('[data-panel=actives] [data-scrub]').getAttribute('aria-valuetext')")
        for column in ["active", "active_7d", "active_30d"]:
            self.assertIn(row["cells"][column]["text"], text)
        self.assertIn(str(int(row["key"][8:])), text)
        self.assertIn(row["key"][:4], text)

    def test_no_single_key_does_anything(self):
        page = self.show({"app": "shop", "range": "7d"})
        address, count = page.run("location.href"), len(page.requests)
        page.run("document.activeElement.blur()")
        for key in "abcdefghijklmnopqrstuvwxyz0123456789?/.":
            page.press(key)
        self.assertEqual((page.run("location.href"), len(page.requests), page.run("document.querySelector('dialog')")), (address, count, None))

    def test_a_dialog_gives_the_focus_back(self):
        page = self.show({"app": "shop", "range": "7d"})
        for action in ["dates", "filter"]:
            page.run(f"document.querySelector('[data-action={action}]').focus()")
            page.press("Enter")
            page.until("document.querySelector('dialog[open]')?.contains(document.activeElement)")
            page.press("Escape")
            page.until("!document.querySelector('dialog')")
            self.assertEqual(page.run("document.activeElement.dataset.action"), action)

    def test_nothing_moves_for_those_who_prefer_that(self):
        page = self.page(reduced=True)
        self.world.come(page, "app=shop&range=7d")
        moving = page.run("""new Promise((done) => { let most = 0; const timer = setInterval(() => {
          most = Math.max(most, document.getAnimations().filter((one) => one.effect.getComputedTiming().duration > 10).length);
          if (document.body?.dataset.settled) { clearInterval(timer); done(most); } }, 10); })""")
        self.assertEqual(moving, 0)


class LanguageTests(DashboardCase):
    def test_numbers_are_those_of_the_browsers_language(self):
        for language, group, point in [("de-DE", ".", ","), ("en-GB", ",", ".")]:
            page = self.show({"app": "shop", "range": "91d"}, language=language)
            metrics = panel(page, "headline")["metrics"]
            value = int(metrics["sessions"]["value"])
            self.assertGreater(value, 999)
            self.assertIn(f"{value:,}".replace(",", group), metrics["sessions"]["text"])
            self.assertRegex(metrics["stickiness"]["text"], rf"\d{'[' + point + ']'}\d\s?%")
            page.close()

    def test_where_the_browser_names_no_language_there_are_numbers_all_the_same(self):
        for named in ["'en-US@posix'", "''", "undefined"]:
            page = self.page()
            page.send("Page.addScriptToEvaluateOnNewDocument",
                      source=f"Object.defineProperty(Navigator.prototype, 'language', {{ get: () => {named} }});")
            self.show({"app": "shop", "range": "7d"}, page=page)
            self.assertState(page, "headline", "ready")
            page.close()
