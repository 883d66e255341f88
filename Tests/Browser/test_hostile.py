"""Names that would do harm where text is taken for anything else."""
from contract.address import FILTERS
from fixture.case import DashboardCase
from fixture.population import HOSTILE
from fixture.reading import panel

RANKED = ["counters", "content", "videos"]


def kept(text):
    """As the server keeps it: resources and names of at most 128 bytes."""
    return text.encode()[:128].decode(errors="ignore")


class HostileTests(DashboardCase):
    def look(self, view):
        page = self.show({"app": "odd", **view})
        page.run("document.querySelectorAll('[data-action=table], [data-action=curl]').forEach((one) => one.click())")
        return page

    def test_names_are_text_whole_and_isolated(self):
        page, seen = self.look({}), set()
        for name in RANKED:
            for row in panel(page, name)["rows"]:
                self.assertEqual(row["name"], row["key"])
                seen.add(row["key"])
        self.assertGreaterEqual(len(seen & {kept(text) for text in HOSTILE}), 10)
        loose = page.run("""[...document.querySelectorAll('[data-panel=content] tbody th, [data-panel=videos] tbody th, .mark-name, .chip')]
          .map((one) => one.querySelector('bdi, .name') ?? one)
          .filter((one) => getComputedStyle(one).unicodeBidi !== 'isolate').length""")
        self.assertEqual(loose, 0)
        untitled = page.run("""[...document.querySelectorAll('[data-panel=content] tbody th bdi, [data-panel=videos] tbody th bdi')]
          .filter((one) => one.title !== one.textContent).map((one) => one.textContent)""")
        self.assertEqual(untitled, [])

    def test_nothing_of_them_becomes_an_element(self):
        for dimension in FILTERS:
            page = self.look({"dimension": dimension, "range": "91d"})
            counts = page.run("['img', 'iframe', 'script', 'style', 'main script', 'svg[onload]', 'a[href^=javascript]', '[onerror]'].map((one) => document.querySelectorAll(one).length)")
            self.assertEqual(counts, [0, 0, 1, 1, 0, 0, 0, 0])
            self.assertQuiet(page)
            page.close()

    def test_the_app_is_named_as_it_is_called(self):
        page = self.look({})
        self.assertEqual(page.run("[document.querySelector('h1').textContent, document.title]"), [HOSTILE[0], HOSTILE[0] + " · Sojourn"])

    def test_filters_and_steps_may_be_any_text(self):
        filters = [(key, text) for key, text in zip(FILTERS * 5, HOSTILE)]
        for steps in [HOSTILE[:10], HOSTILE[10:20]]:
            page = self.look({"filters": filters, "steps": steps})
            names = page.run("[...document.querySelectorAll('[data-control=funnel] input')].map((one) => one.value)")
            self.assertEqual(names, [step.replace("\n", "") for step in steps])
            self.assertEqual(page.run("document.querySelectorAll('[data-filter]').length"), len(filters))
            # Not every text is a step: the server refuses some, and the browser says that an answer was 400.
            self.assertQuiet(page, "/report/funnel?")
            page.close()

    def test_long_names_do_not_widen_the_page(self):
        page = self.look({"dimension": "device.model.identifier"})
        for width in [1280, 390, 320]:
            page.resize(width)
            self.assertLessEqual(page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth"), 0, width)
