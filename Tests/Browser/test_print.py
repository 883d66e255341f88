"""On paper: all days, labels, bars and marks, from any window, on any paper, with backgrounds off too."""
import base64
import re
import zlib

from fixture.case import DashboardCase
from fixture.reading import panel

VIEW = {"app": "shop", "steps": ["session.start", "order.menu"]}
# Between the margins that browsers have: A4, Letter, A4 on its side, A5.
PAPER = {"A4": 717, "Letter": 739, "A4 on its side": 1046, "A5": 482}
WINDOWS = [320, 1400, 1920]
# Printing does not tell those who observe sizes.
BLIND = "window.ResizeObserver = class { observe() {} unobserve() {} disconnect() {} };"
OPEN_ALL = "document.querySelectorAll('[data-action=table], [data-action=define], [data-action=curl]').forEach((one) => one.click())"
_OVER = """(() => { const right = document.documentElement.clientWidth;
  const over = [...document.querySelectorAll('main *')].filter((one) => one.getClientRects().length && !one.closest('.unseen, .mark-name'))
    .filter((one) => one.getBoundingClientRect().right > right + 1 || one.getBoundingClientRect().left < -1);
  const cut = [...document.querySelectorAll('main *, header *')].filter((one) => one.getClientRects().length && one.clientWidth > 24 && !one.closest('select, svg')
    && (one.scrollWidth > one.clientWidth + 2 && getComputedStyle(one).overflowX !== 'visible' || one.scrollHeight > one.clientHeight + 2 && getComputedStyle(one).overflowY !== 'visible'));
  return [document.documentElement.scrollWidth - right, ...[...over, ...cut].map((one) => one.outerHTML.slice(0, 90))]; })()"""
_CHARTS = """[...document.querySelectorAll('.plot')].map((one) => { const svg = one.querySelector('svg'), box = svg.getBoundingClientRect(), room = one.getBoundingClientRect();
  return [svg.viewBox.baseVal.width, Math.abs(box.width - room.width) < 1.5, Math.abs(box.width / box.height - svg.viewBox.baseVal.width / svg.viewBox.baseVal.height) < 0.05]; })"""


class PrintTests(DashboardCase):
    def paper(self, width, *, view=VIEW, dark=False):
        """A page as a window has drawn it."""
        page = self.page(width=width, dark=dark)
        page.send("Page.addScriptToEvaluateOnNewDocument", source=BLIND)
        return self.show(view, page=page)

    def to_paper(self, page, width, said=True):
        if said:
            page.run("dispatchEvent(new Event('beforeprint'))")
        page.send("Emulation.setEmulatedMedia", media="print")
        page.resize(width)
        page.rendered()

    def test_charts_are_whole_on_every_paper_from_every_window(self):
        for window in WINDOWS:
            page = self.paper(window)
            for name, width in PAPER.items():
                with self.subTest(window=window, paper=name):
                    self.to_paper(page, width)
                    found = page.run(_CHARTS)
                    self.assertEqual(len(found), 6)
                    self.assertEqual({(fits, is_whole) for _, fits, is_whole in found}, {(True, True)})
                    # Drawn for paper, whatever the window.
                    self.assertEqual({drawn for drawn, _, _ in found}, {675})
            page.close()

    def test_where_nobody_says_that_it_prints_charts_are_whole_all_the_same(self):
        page = self.paper(1400)
        self.to_paper(page, PAPER["A4"], said=False)
        self.assertEqual({tuple(one[1:]) for one in page.run(_CHARTS)}, {(True, True)})

    def test_the_window_has_its_own_charts_again_afterwards(self):
        page = self.paper(1400)
        before = page.run(_CHARTS)
        self.to_paper(page, PAPER["A4"])
        self.assertNotEqual(page.run(_CHARTS), before)
        page.prefer()
        page.resize(1400)
        page.run("dispatchEvent(new Event('afterprint'))")
        page.rendered()
        self.assertEqual(page.run(_CHARTS), before)

    def test_nothing_scrolls_and_nothing_is_cut(self):
        views = {"weeks": VIEW, "days": {**VIEW, "cohort": "day", "dimension": "device.model.identifier"},
                 "months": {"app": "shop", "range": "364d", "cohort": "month"}, "odd names": {"app": "odd"}}
        for name, view in views.items():
            page = self.paper(1400, view=view)
            for is_open in [False, True]:
                if is_open:
                    page.run(OPEN_ALL)
                for paper in ["A4", "Letter"]:
                    with self.subTest(view=name, tables=is_open, paper=paper):
                        self.to_paper(page, PAPER[paper])
                        self.assertEqual(page.run(_OVER), [0])
            page.close()

    def test_what_has_a_meaning_by_its_colour_has_it_without_backgrounds(self):
        page = self.paper(1280)
        self.to_paper(page, PAPER["A4"])
        found = page.run("""[...document.querySelectorAll('main *')].filter((one) => one.getClientRects().length && !one.matches('.card, select, button, input'))
          .filter((one) => getComputedStyle(one).backgroundColor !== 'rgba(0, 0, 0, 0)' && getComputedStyle(one).printColorAdjust !== 'exact').map((one) => one.outerHTML.slice(0, 80))""")
        self.assertEqual(found, [])
        self.assertGreater(page.run("[...document.querySelectorAll('main *')].filter((one) => getComputedStyle(one).printColorAdjust === 'exact').length"), 40)

    def test_paper_is_light(self):
        """In a dark browser too: without backgrounds light text would be on white."""
        look = "[getComputedStyle(document.querySelector('[data-lede] b')).color, getComputedStyle(document.querySelector('.meter')).backgroundColor]"
        page = self.paper(1280)
        self.to_paper(page, PAPER["A4"])
        light = page.run(look)
        page = self.paper(1280, dark=True)
        self.assertNotEqual(page.run(look), light)
        page.send("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        page.rendered()
        self.assertEqual(page.run(look), light)

    def test_a_file_of_it_has_every_bar_of_every_day(self):
        """Real printing: each bar has a colour of its own, which the file's drawing has to name."""
        page = self.show(VIEW, width=1920)
        bars = page.run("""(() => { const bars = [...document.querySelectorAll('rect[data-series]')].filter((one) => one.height.baseVal.value > 1);
          return [...bars.map((one) => `svg[data-chart="${one.closest('svg').dataset.chart}"] [data-series="${one.dataset.series}"][data-key="${one.dataset.key}"]`),
            ...[...document.querySelectorAll('[data-panel=events] tr[data-key]')].map((one) => `[data-panel=events] tr[data-key="${one.dataset.key}"] .meter`)]; })()""")
        self.assertGreater(len(bars), 60)
        colours = {place: (250, place % 50 * 5, place // 50 * 20) for place in range(len(bars))}
        rules = [f"{bar} {{ fill: rgb{colours[place]} !important; background: rgb{colours[place]} !important; stroke: none !important }}"
                 for place, bar in enumerate(bars)]
        page.send("DOM.enable")
        page.send("CSS.enable")
        frame = page.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        sheet = page.send("CSS.createStyleSheet", frameId=frame)["styleSheetId"]
        page.send("CSS.setStyleSheetText", styleSheetId=sheet, text="\n".join(rules))
        for paper in [(8.27, 11.69), (8.5, 11)]:
            file = page.send("Page.printToPDF", paperWidth=paper[0], paperHeight=paper[1], printBackground=False)
            found = drawn_colours(base64.b64decode(file["data"]))
            self.assertEqual([bars[place] for place, colour in colours.items() if colour not in found], [])
        self.assertEqual(panel(page, "headline")["state"], "ready")


def drawn_colours(file):
    """The colours in which a PDF fills, as the browser writes it: streams packed by zlib."""
    found = set()
    for packed in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", file, re.DOTALL):
        try:
            text = zlib.decompress(packed)
        except zlib.error:
            continue
        for parts in re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) rg\b", text):
            found.add(tuple(round(float(part) * 255) for part in parts))
    return found
