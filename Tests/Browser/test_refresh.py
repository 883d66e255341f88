"""Asking again: what has not changed stays as it is, what has is drawn."""
from fixture import population
from fixture.case import DashboardCase
from fixture.controls import click
from fixture.modules import ModuleCase
from fixture.reading import PANELS, panel, states

REFRESH = click("[data-action=refresh]")
VIEW = {"app": "odd"}
SLIDER = "document.querySelector('[data-panel=actives] [data-scrub]')"


class RefreshTests(DashboardCase):
    def test_after_304_the_elements_are_the_same(self):
        page = self.show(VIEW)
        page.run("window.kept = [...document.querySelectorAll('[data-panel], [data-panel] *')]")
        before = page.run("kept.length")
        page.requests.clear()
        self.world.act(page, REFRESH)
        reports = [one for one in page.requests if one.path.startswith("/report")]
        self.assertEqual({one.status for one in reports}, {304})
        self.assertEqual({bool(one.header("if-none-match")) for one in reports}, {True})
        self.assertTrue(page.run("kept.every((one) => one.isConnected)"))
        self.assertEqual(page.run("document.querySelectorAll('[data-panel], [data-panel] *').length"), before)
        self.assertQuiet(page)

    def test_a_new_event_appears_and_what_was_open_stays_open(self):
        page = self.show(VIEW)
        page.run("""document.querySelectorAll('[data-action=table], [data-action=define], [data-action=curl]').forEach((one) => one.click());
          scrollTo(0, 900)""")
        page.run(SLIDER + ".focus()")
        page.press("Home")
        page.press("ArrowRight")
        look = """[[...document.querySelectorAll('.tabled')].map((one) => one.dataset.panel), scrollY,
          [...document.querySelectorAll('[id^=define-], [id^=curl-]')].filter((one) => one.hidden).length]"""
        before, key = page.run(look), page.run(SLIDER + ".dataset.key")
        scrolled = page.run("scrollY")
        self.assertNotIn("brand.new", [row["key"] for row in panel(page, "events")["rows"]])
        self.world.server.post("odd", self.world.ingest["odd"],
                               population.batch("late-comer", [population.event("brand.new", population.now() - 1000)] * 3))
        self.world.act(page, REFRESH)
        self.assertIn("brand.new", [row["key"] for row in panel(page, "events")["rows"]])
        self.assertEqual(page.run(look)[0], before[0])
        self.assertEqual(page.run(look)[2], before[2])
        self.assertEqual(page.run("scrollY"), scrolled)
        self.assertEqual(page.run(f"[{SLIDER}.dataset.key, document.activeElement === {SLIDER}]"), [key, True])
        self.assertEqual({states(page)[name] for name in PANELS if name != "funnel"}, {"ready"})
        self.assertQuiet(page)

    def test_nothing_goes_pale_meanwhile(self):
        page = self.show(VIEW)
        page.run("""window.seen = new Set(); new MutationObserver((all) => all.forEach((one) => seen.add(one.target.dataset.state)))
          .observe(document.querySelector('main'), { subtree: true, attributes: true, attributeFilter: ['data-state'] });""")
        self.world.act(page, REFRESH)
        self.assertNotIn("loading", page.run("[...seen]"))

    def test_what_is_typed_into_the_funnel_stays(self):
        page = self.show(VIEW)
        page.run("document.querySelector('[data-control=funnel] input').value = 'half a na'")
        self.world.act(page, REFRESH)
        self.assertEqual(page.run("document.querySelector('[data-control=funnel] input').value"), "half a na")


class RefresherTests(ModuleCase):
    def test_every_minute_or_ten_times_as_long_and_only_while_it_is_seen(self):
        found = self.blank.run("""import('/refresher.js').then(({ Refresher }) => {
          const set = window.setTimeout, waits = [];
          let due = 0, run = null, isHidden = false;
          Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
          window.setTimeout = (then, wait) => { run = then; waits.push(wait); return 0; };
          const said = [];
          try {
            const one = new Refresher(() => { due += 1; });
            for (const took of [0, 100, 6000, 6001, 30000]) one.set(took);
            run(); said.push(due);
            one.wake(); said.push(due);
            isHidden = true;
            one.set(1); run(); said.push(due);
            isHidden = false;
            one.wake(); one.wake(); said.push(due);
            isHidden = true;
            one.set(1); run(); one.stop(); one.wake(); said.push(due);
          } finally { window.setTimeout = set; delete document.hidden; }
          return [waits.slice(0, 5), said];
        })""")
        self.assertEqual(found, [[60000, 60000, 60000, 60010, 300000], [1, 1, 1, 2, 2]])
