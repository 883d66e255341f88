"""Pages without an app, and pages that are in the way."""
from harness.apps import ANDROID, NONE
from harness.case import (BOTTOM, COMPLETE, META, TALL, VIEW, BridgeTests, document,
                          in_each_engine)

# Frames that come into the document, even for a moment.
FRAMES = """<script>window.frameCount = 0; new MutationObserver(list => list.forEach(change =>
    change.addedNodes.forEach(node => { if (node.tagName == 'IFRAME') frameCount += 1 }))
    ).observe(document, {childList: true, subtree: true})</script>"""
USE = """sojourn.say('tap', {a: 1});
    document.querySelector('video').dispatchEvent(new Event('webkitbeginfullscreen'));
    scrollTo(0, 1e7);"""


@in_each_engine
class Silence(BridgeTests):
    def test_in_a_browser_it_does_nothing(self):
        page = self.open(META + FRAMES, "<video></video><p>short", NONE)
        page.run(USE)
        page.settle()
        self.assertEqual(page.run("return frameCount"), 0)
        self.assertEqual(page.complaints(), [])
        self.assertEqual(page.requests(), [])
        requested = page.run("return performance.getEntriesByType('resource').map(e => e.name)")
        self.assertEqual([url for url in requested if not url.endswith("/sojourn.js")], [])

    def test_it_keeps_nothing(self):
        page = self.open(META, "<video></video><p>short", over_http=True)
        page.wait_for(VIEW, COMPLETE)
        page.run(USE)
        kept = page.run("return [document.cookie, localStorage.length, sessionStorage.length,"
                        "(await indexedDB.databases?.() ?? []).length]")
        self.assertEqual(kept, ["", 0, 0, 0])

    def test_its_one_global_is_sojourn_and_that_has_one_member(self):
        names = "<script>const before = Object.getOwnPropertyNames(window)</script>"
        page = self.open(names, TALL)
        # A global function or constant would be no property of the window, but a second one an error.
        more = page.run("return Object.getOwnPropertyNames(window).filter(n => !before.includes(n))")
        self.assertEqual(more, ["sojourn"])
        self.assertEqual(page.run("return Object.getOwnPropertyNames(sojourn)"), ["say"])
        self.assertEqual(page.run("return Object.getOwnPropertyNames(document)"),
                         page.run("const frame = document.createElement('iframe');"
                                  "document.body.append(frame);"
                                  "return Object.getOwnPropertyNames(frame.contentDocument)"))

    def test_the_page_s_elements_stay_as_they_are(self):
        page = self.open(META, "<p id=p data-sojourn-end>short")
        page.wait_for(VIEW, COMPLETE)
        self.assertEqual(page.run("return p.outerHTML"), '<p id="p" data-sojourn-end="">short</p>')

    def test_once_complete_it_looks_for_the_end_no_more(self):
        count = ("<script>window.count = 0; for (const [object, name] of [[window, 'setTimeout'],"
                 "[Element.prototype, 'getClientRects']]) { const own = object[name];"
                 "object[name] = function (...all) { count += 1; return own.apply(this, all) } }"
                 "</script>")
        page = self.open(META + count, "<p data-sojourn-end>short")
        page.wait_for(VIEW, COMPLETE)
        page.run("sojourn.say('tap'); await new Promise(requestAnimationFrame)")
        before = page.run("return count")
        self.assertGreater(before, 0)
        page.settle()
        # The test's own clock counts too.
        self.assertEqual(page.run("return count"), before + 1)


@in_each_engine
class HostilePages(BridgeTests):
    """What pages have in the way costs them their own messages at most."""

    def check(self, head, body="<p>short", app=ANDROID, **options):
        page = self.open(META + head, body, app, **options)
        page.wait_for(VIEW, COMPLETE)
        page.run("sojourn.say('tap')")
        page.expect(VIEW, COMPLETE, ("tap", {}))
        self.assertEqual(page.complaints(), [])
        return page

    def test_elements_of_the_same_names_are_no_app_and_no_bridge(self):
        self.check("", "<form id=sojourn><input name=say></form><a id=webkit></a><p>short")
        early = "<div id=sojourn></div><form id=webkit><input name=messageHandlers></form>"
        page = self.open_text(f"<!doctype html>{META}<body>{early}<script src=sojourn.js></script>",
                              ANDROID)
        page.expect(VIEW, COMPLETE)
        self.assertEqual(page.complaints(), [])

    def test_an_element_in_place_of_android_s_object_leaves_the_scheme(self):
        page = self.open("", "<a id=SojournBridge></a>" + TALL, NONE, scheme="rb")
        page.run("sojourn.say('tap')")
        page.wait(page.requests, "a URL")
        self.assertEqual(page.requests(), ["rb://tap"])

    def test_frames_of_other_origins_hear_nothing(self):
        frames = "".join(f"<iframe name={name} src='{self.site.origin}/held/none'></iframe>"
                         for name in ("webkit", "SojournBridge", "sojourn"))
        self.site.release()
        page = self.open_text("<!doctype html>" + META + "<body>" + frames
                              + "<script src=sojourn.js data-scheme=rb></script>", NONE)
        page.wait(lambda: len(page.requests()) >= 2, "two URLs")
        self.assertEqual([url for url in page.requests() if url.startswith("rb")],
                         ["rb://content.view?content.id=tour-1",
                          "rb://content.complete?content.id=tour-1"])
        self.assertEqual(page.complaints(), [])

    def test_a_page_that_stops_events_stops_none_of_the_bridge_s(self):
        stop = ("<script>addEventListener('DOMContentLoaded', () => { for (const type of ['scroll',"
                "'readystatechange', 'webkitbeginfullscreen']) document.addEventListener(type, e =>"
                "e.stopImmediatePropagation(), true) })</script>")
        page = self.open(META + stop, "<video></video>" + TALL)
        page.run("document.querySelector('video').dispatchEvent(new Event('webkitbeginfullscreen'));"
                 "scrollTo(0, 1e7)")
        page.expect(VIEW, ("video.enter_fullscreen", {"video.id": "video-1"}), COMPLETE)

    def test_functions_that_throw_are_no_errors_of_the_page(self):
        broken = ("<script>for (const [object, name] of [[Document.prototype, 'querySelector'],"
                  "[Element.prototype, 'getClientRects'], [window, 'getComputedStyle'],"
                  "[Element.prototype, 'closest'], [Function.prototype, 'bind']]) object[name] = () => { throw new Error(name) }</script>")
        page = self.open_text(document("", "<video></video><p data-sojourn-end>short")
                              .replace("</script>", "</script>" + broken, 1))
        page.run("sojourn.say('tap'); document.getElementsByTagName('video')[0]"
                 ".dispatchEvent(new Event('webkitbeginfullscreen'))")
        page.expect()
        self.assertEqual(page.complaints(), [])

    def test_a_page_without_elements_is_no_error(self):
        page = self.open(META, TALL)
        page.run("document.documentElement.remove()")
        page.expect(VIEW)
        page.run("sojourn.say('tap')")
        page.wait_for(VIEW, ("tap", {}))
        self.assertEqual(page.complaints(), [])

    def test_a_frozen_name_keeps_the_bridge_away(self):
        frozen = "<script>Object.defineProperty(window, 'sojourn', {value: 1})</script>"
        page = self.open(META + frozen, "<p>short")
        page.expect()
        self.assertEqual(page.complaints(), [])

    def test_json_of_the_page_s_own_changes_no_message_s_form(self):
        page = self.open("", TALL)
        page.run("Object.prototype.toJSON = () => 7; sojourn.say('tap', {a: 1});"
                 "delete Object.prototype.toJSON")
        page.run("const kept = JSON.stringify; JSON.stringify = () => { throw new Error('mine') };"
                 "sojourn.say('tap'); JSON.stringify = kept; sojourn.say('last')")
        page.expect(("last", {}))
        self.assertEqual(page.complaints(), [])

    def test_a_thousand_messages_do_no_harm(self):
        page = self.open("", TALL)
        page.run("for (let i = 0; i < 1000; i++) sojourn.say('n' + i)")
        page.wait(lambda: len(page.texts()) == 1000, "1,000 messages")
        self.assertEqual(page.messages(), [(f"n{i}", {}) for i in range(1000)])


@in_each_engine
class Twice(BridgeTests):
    def test_a_script_that_is_there_twice_speaks_once(self):
        again = "<script src=sojourn.js data-scheme=rb></script>"
        page = self.open_text(document(META + "<script src=sojourn.js></script>",
                                       "<video></video><p>short" + again))
        page.run("document.querySelector('video').dispatchEvent(new Event('webkitbeginfullscreen'))")
        page.expect(VIEW, COMPLETE, ("video.enter_fullscreen", {"video.id": "video-1"}))
        self.assertEqual(page.complaints(), [])

    def test_the_second_scheme_does_not_count(self):
        page = self.open_text(document("", TALL + "<script src=sojourn.js data-scheme=rb></script>"),
                              NONE)
        page.run("sojourn.say('tap')")
        page.settle()
        self.assertEqual(page.requests(), [])

    def test_a_module_speaks_too(self):
        page = self.open_text("<!doctype html><script type=module src=sojourn.js></script>short",
                              over_http=True)
        page.expect(BOTTOM)
