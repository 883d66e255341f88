"""`sojourn.say`, and the ways to the app."""
import json

from harness.apps import ANDROID, NONE, THROWING
from harness.case import TALL, BridgeTests, in_each_engine

# Arguments that have no form of a message, or throw when they are looked at.
ODD = """
    const cyclic = {}; cyclic.self = cyclic;
    const thrower = {get a() { throw new Error('getter') }};
    const json = {a: {toJSON() { throw new Error('toJSON') }}};
    const hostile = new Proxy({}, {ownKeys() { throw 1 }, get() { throw 2 }});
    const unnamed = [undefined, null, 7, true, {}, [], () => 1, Symbol('s'), 10n, cyclic, hostile,
        '', ' ', 'a b', 'a/b', 'a?b', 'a"b', '\\u00fc', 'a\\n', 'x'.repeat(129), {toString() { throw 3 }}];
    const calls = unnamed.map(name => [name]).concat([[]]);
    for (const attributes of [cyclic, thrower, json, hostile, {a: 10n}, {toJSON() { return 7 }},
        {toJSON() {}}, [1], 'text', 7, true, Symbol('s'), () => 1])
        calls.push(['odd', attributes]);
    return calls.map(call => sojourn.say(...call)).filter(value => value !== undefined).length"""


@in_each_engine
class Saying(BridgeTests):
    def test_a_name_and_attributes_arrive_as_they_are(self):
        page = self.open("", TALL)
        page.run("sojourn.say('purchase-complete_1.A', {order: 7, total: 1.5, ok: true, not: false,"
                 "note: 'ü & ? / \\u2713 \\ud83d\\ude00 \" \\n', '': '', 'a b': -1})")
        page.wait_for(("purchase-complete_1.A", {
            "order": 7, "total": 1.5, "ok": True, "not": False,
            "note": "ü & ? / ✓ 😀 \" \n", "": "", "a b": -1}))

    def test_attributes_may_be_left_out(self):
        page = self.open("", TALL)
        page.run("sojourn.say('a'); sojourn.say('b', undefined); sojourn.say('c', null)")
        page.wait_for(("a", {}), ("b", {}), ("c", {}))

    def test_members_that_are_undefined_or_symbols_are_left_out(self):
        page = self.open("", TALL)
        page.run("sojourn.say('a', {b: undefined, c: () => 1, [Symbol('d')]: 1, e: Symbol('f')})")
        page.wait_for(("a", {}))

    def test_a_page_may_speak_while_it_loads(self):
        self.open("", "<script>sojourn.say('early', {a: 1})</script>" + TALL).wait_for(
            ("early", {"a": 1}))

    def test_nothing_odd_throws_returns_or_arrives(self):
        page = self.open("", TALL)
        self.assertEqual(page.run(ODD), 0)
        page.run("sojourn.say('last')")
        page.wait_for(("last", {}))
        self.assertEqual(page.complaints(), [])

    def test_a_name_has_at_most_128_characters(self):
        page = self.open("", TALL)
        page.run("sojourn.say('x'.repeat(129)); sojourn.say('x'.repeat(128))")
        page.wait_for(("x" * 128, {}))

    def test_a_message_has_at_most_8192_bytes(self):
        frame = len('{"name":"a","attributes":{"t":""}}')
        for text, size in (("x", 1), ("\u00fc", 2), ("\U0001f600", 4)):
            with self.subTest(text):
                count = (8192 - frame) // size
                page = self.open("", TALL)
                page.run(f"for (const count of [{count + 1}, {count}])"
                         f"sojourn.say('a', {{t: {json.dumps(text)}.repeat(count)}})")
                page.wait_for(("a", {"t": text * count}))
                self.assertGreater(len(page.texts()[0].encode()), 8192 - size)

    def test_a_very_long_text_is_dropped(self):
        page = self.open("", TALL)
        page.run("sojourn.say('a', {t: 'x'.repeat(5e7)}); sojourn.say('last')")
        page.wait_for(("last", {}))

    def test_a_method_of_the_page_s_own_may_say_more_meanwhile(self):
        page = self.open("", TALL)
        page.run("sojourn.say('outer', {a: {toJSON() { sojourn.say('inner'); return 1 }}})")
        page.wait_for(("inner", {}), ("outer", {"a": 1}))

    def test_say_needs_no_object(self):
        page = self.open("", TALL)
        page.run("const {say} = sojourn; say('a'); [['b']].forEach(([name]) => say(name))")
        page.wait_for(("a", {}), ("b", {}))


@in_each_engine
class Ways(BridgeTests):
    def test_android_s_object_is_spoken_to(self):
        page = self.open("", TALL, ANDROID)
        page.run("sojourn.say('tap', {a: 1})")
        page.wait_for(("tap", {"a": 1}))
        self.assertTrue(page.texts()[0].startswith("android "))

    def test_webkit_s_handler_comes_first(self):
        page = self.open("<script>window.SojournBridge = {post() { sojourn.say('wrong') }}</script>",
                         TALL, scheme="mobile-event")
        page.run("sojourn.say('tap')")
        page.wait_for(("tap", {}))
        self.assertEqual(page.requests(), [])

    def test_android_s_object_comes_before_a_scheme(self):
        page = self.open("", TALL, ANDROID, scheme="mobile-event")
        page.run("sojourn.say('tap')")
        page.wait_for(("tap", {}))
        self.assertEqual(page.requests(), [])

    def test_a_handler_of_another_name_is_none(self):
        handler = "<script>window.webkit = {messageHandlers: {other: {postMessage() {}}}}</script>"
        page = self.open(handler, TALL, ANDROID)
        page.run("sojourn.say('tap')")
        page.wait_for(("tap", {}))

    def test_an_app_may_come_late(self):
        page = self.open("<script>const kept = window.SojournBridge; delete window.SojournBridge"
                         "</script>", TALL, ANDROID)
        page.run("sojourn.say('before'); window.SojournBridge = kept; sojourn.say('after')")
        page.wait_for(("after", {}))

    def test_an_app_that_throws_is_not_heard_of(self):
        page = self.open("<meta name=sojourn-content content=a>", "<p>short", THROWING,
                         scheme="mobile-event")
        page.run("sojourn.say('tap')")
        page.settle()
        self.assertEqual((page.complaints(), page.requests()), ([], []))


@in_each_engine
class Schemes(BridgeTests):
    def wait_for_urls(self, page, *urls):
        page.wait(lambda: len(page.requests()) >= len(urls), f"{len(urls)} URLs")
        self.assertEqual(page.requests(), list(urls))
        self.assertEqual(page.run("return document.querySelectorAll('iframe').length"), 0)

    def open_scheme(self, scheme="mobile-event", body=TALL):
        return self.open("", body, NONE, scheme=scheme)

    def test_a_message_is_a_url_in_utf8(self):
        page = self.open_scheme()
        address = page.run("return location.href")
        page.run("sojourn.say('purchase-complete', {order: 7, note: 'ü & ? # + =/', 'a b': true})")
        self.wait_for_urls(page, "mobile-event://purchase-complete?order=7"
                           "&note=%C3%BC%20%26%20%3F%20%23%20%2B%20%3D%2F&a%20b=true")
        self.assertEqual(page.run("return location.href"), address)

    def test_without_attributes_there_is_no_query(self):
        page = self.open_scheme("rb", "<p>short")
        self.wait_for_urls(page, "rb://scrolled.bottom")

    def test_what_is_no_string_is_written_as_json(self):
        page = self.open_scheme()
        page.run("sojourn.say('a', {n: 1e21, x: null, y: [1, 'b'], z: undefined})")
        self.wait_for_urls(page, "mobile-event://a?n=1e%2B21&x=null&y=%5B1%2C%22b%22%5D")

    def test_a_url_has_at_most_8192_bytes(self):
        frame = len("mobile-event://a?t=")
        for text, size in (("x", 1), ("\u00fc", 6), ('"', 3)):
            with self.subTest(text):
                count = (8192 - frame) // size
                page = self.open_scheme()
                page.run(f"for (const count of [{count + 1}, {count}])"
                         f"sojourn.say('a', {{t: {json.dumps(text)}.repeat(count)}})")
                page.settle()
                self.assertEqual([len(url) for url in page.requests()], [frame + size * count])

    def test_nothing_odd_throws_returns_or_leaves_a_frame(self):
        page = self.open_scheme()
        self.assertEqual(page.run(ODD), 0)
        page.run("sojourn.say('a', {t: '\\ud800'}); sojourn.say('last')")
        self.wait_for_urls(page, "mobile-event://last")
        self.assertEqual(page.complaints(), [])

    def test_many_at_once_all_arrive(self):
        page = self.open_scheme()
        page.run("for (let i = 0; i < 20; i++) sojourn.say('n' + i)")
        self.wait_for_urls(page, *[f"mobile-event://n{i}" for i in range(20)])

    def test_the_frame_is_gone_when_say_returns(self):
        page = self.open_scheme()
        self.assertEqual(page.run("sojourn.say('a'); return window.length + "
                                  "document.querySelectorAll('iframe').length"), 0)

    def test_a_page_may_speak_before_it_has_a_body(self):
        page = self.open_text("<!doctype html><script src=sojourn.js data-scheme=rb></script>"
                              f"<script>sojourn.say('early')</script>{TALL}", NONE)
        self.wait_for_urls(page, "rb://early")

    def test_an_empty_scheme_is_none(self):
        page = self.open_text("<!doctype html><script src=sojourn.js data-scheme=''></script>"
                              "<script>sojourn.say('early')</script>short", NONE)
        page.settle()
        self.assertEqual((page.requests(), page.complaints()), ([], []))
