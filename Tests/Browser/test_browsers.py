"""Browsers that are older than this one: what they lack the page does without, or it says so in a sentence."""
import json
import re

from fixture.case import DashboardCase
from fixture.controls import click
from fixture.document import changed_document
from fixture.modules import ModuleCase
from fixture.reading import states

VIEW = {"app": "shop", "range": "7d"}
# Younger than Chromium and Firefox of three years ago or Safari 16.4; MDN has since when each is where.
LATER = """AbortSignal.any AbortSignal.timeout URL.canParse URL.parse URLSearchParams.prototype.size Promise.withResolvers Promise.try
  Object.groupBy Map.groupBy Array.fromAsync RegExp.escape Error.isError Iterator Intl.DurationFormat Intl.Segmenter Intl.supportedValuesOf
  Set.prototype.union Set.prototype.isSubsetOf Set.prototype.difference String.prototype.isWellFormed Response.prototype.bytes Blob.prototype.bytes
  Document.prototype.startViewTransition Element.prototype.checkVisibility Element.prototype.setHTMLUnsafe Element.prototype.moveBefore
  HTMLElement.prototype.popover HTMLElement.prototype.showPopover HTMLDialogElement.prototype.requestClose CSS.highlights
  navigation scheduler trustedTypes cookieStore requestIdleCallback structuredClone CloseWatcher URLPattern""".split()
# Selectors, functions and rules of style that such browsers do not take, or take for an end of the rule.
LATER_STYLE = [r":has\(", r"@scope", r"@starting-style", r"@view-transition", r"@position-try", r"light-dark\(", r"anchor\(",
               r"interpolate-size", r"field-sizing", r":popover-open", r"::details-content", r"if\(", r"\{[^{}]*&"]
WITHOUT = "try {{ delete {0}; }} catch {{}}"
SENTENCE = "document.querySelector('main').innerText"
# Where a browser has what the page needs.
PLACES = {"fetch": "window", "ResizeObserver": "window", "showModal": "HTMLDialogElement.prototype", "replaceChildren": "Element.prototype",
          "requestSubmit": "HTMLFormElement.prototype", "throwIfAborted": "AbortSignal.prototype",
          "formatRange": "Intl.DateTimeFormat.prototype", "at": "Array.prototype", "findLast": "Array.prototype",
          "toReversed": "Array.prototype"}


class BrowserCase(DashboardCase):
    def without(self, *names, **options):
        page = self.page(**options)
        source = "".join(WITHOUT.format(name) for name in names)
        page.send("Page.addScriptToEvaluateOnNewDocument", source=source)
        return page


class LaterTests(BrowserCase):
    def test_all_works_without_what_came_later(self):
        page = self.without(*LATER)
        self.show({**VIEW, "steps": ["session.start", "session.end"]}, page=page)
        self.assertTrue(page.run("!('any' in AbortSignal) && !('groupBy' in Object) && !('supportedValuesOf' in Intl)"))
        self.assertEqual(set(states(page).values()), {"ready"})
        self.world.act(page, click("[data-control=range] input[value='28d']"))
        self.world.act(page, click("[data-action=refresh]"))
        page.run(click("[data-panel=events] [data-action=csv]"))
        page.wait(lambda: page.downloads)
        self.assertIn("UTC", page.run("[...document.querySelector('select[data-control=tz]').options].map((one) => one.value)"))
        self.assertQuiet(page)

    def test_the_style_has_nothing_that_came_later(self):
        text = self.world.server.request("GET", "/")[2].decode()
        style = re.search(r"<style>(.*?)</style>", text, re.DOTALL).group(1)
        self.assertEqual([one for one in LATER_STYLE if re.search(one, style)], [])

    def test_the_range_that_is_chosen_and_the_one_with_the_focus_are_seen(self):
        """By rules that do not need `:has()`."""
        page = self.show(VIEW)
        page.run("document.querySelector('[data-action=dates]').focus()")
        page.press("Tab", shift=True)
        look = """[...document.querySelectorAll('[data-control=range] label')].map((one) => { const s = getComputedStyle(one.lastChild);
          return [one.firstChild.checked, s.fontWeight, s.outlineStyle]; })"""
        self.assertEqual(page.run(look), [[True, "600", "solid"], *[[False, "400", "none"]] * 3])


class NeedTests(BrowserCase):
    def test_what_is_missing_is_said_and_nothing_is_asked(self):
        for name, place in PLACES.items():
            with self.subTest(missing=name):
                page = self.without(f"{place}.{name}")
                self.world.come(page, "app=shop")
                page.until(f"{SENTENCE}.includes('browser') && {SENTENCE}.includes('no {name}.')")
                self.assertEqual([one.url for one in page.requests if "/report" in one.url], [])
                self.assertNotIn("token", page.run("location.href"))
                self.assertQuiet(page)
                page.close()

    def test_a_browser_that_does_not_understand_the_script_is_told_in_a_second(self):
        page = self.page()
        broken = changed_document(self.world.server, lambda text: text.replace('"use strict";', '"use strict"; #'))
        page.intercept(lambda request: broken if request.path == "/" else None)
        page.go(self.world.server.origin)
        page.until(f"{SENTENCE}.includes('too old') && {SENTENCE}.includes('16.4')")
        self.assertTrue(page.complaints)

    def test_who_has_figures_does_not_see_that_first(self):
        page = self.page()
        page.send("Page.addScriptToEvaluateOnNewDocument", source="""window.seen = new Set();
          (function look() { const one = document.querySelector('.unfit'); if (one?.checkVisibility({ visibilityProperty: true })) seen.add(one.textContent);
            requestAnimationFrame(look); })()""")
        self.show(VIEW, page=page)
        self.assertEqual(page.run("[...seen]"), [])

    def test_what_stops_it_all_the_same_is_said(self):
        """Something that nobody has thought of: no panel waits for ever."""
        for name in ["Object.fromEntries", "Promise.all", "Map.prototype.entries"]:
            with self.subTest(missing=name):
                page = self.without(name)
                if name == "Map.prototype.entries":
                    page.send("Page.addScriptToEvaluateOnNewDocument", source="delete Map.prototype[Symbol.iterator];")
                self.world.come(page, "app=shop")
                page.until(f"{SENTENCE}.includes('browser') && {SENTENCE}.includes('stopped')")
                self.assertEqual(page.run("document.querySelectorAll('[data-panel]').length"), 0)
                page.close()


class NamesTests(ModuleCase):
    def test_the_list_is_that_of_the_page(self):
        found = self.blank.run(f"""(() => {{ const places = {json.dumps(PLACES)}; return import('/needs.js').then(({{ missingParts }}) => {{
          const kept = {{}}, find = (place) => place.split('.').reduce((one, name) => one[name], window);
          for (const [name, place] of Object.entries(places)) {{ kept[name] = find(place)[name]; if (name !== 'fetch') find(place)[name] = undefined; }}
          const missing = missingParts();
          for (const [name, place] of Object.entries(places)) if (name !== 'fetch') find(place)[name] = kept[name];
          return missing; }}); }})()""")
        self.assertEqual(["fetch", *found], list(PLACES))
