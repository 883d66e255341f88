"""Videos that enter and leave full screen, by the standard's event and by WebKit's own."""
import json

from harness.case import TALL, BridgeTests, in_each_engine

VIDEOS = ("<video data-sojourn-video=v1 id=other></video><video id=v2></video><video></video>"
          "<div id=box><p><video id=inner></video></div><div id=picture></div>" + TALL)


def enter(name):
    return "video.enter_fullscreen", {"video.id": name}


def leave(name):
    return "video.exit_fullscreen", {"video.id": name}


def native(event, index=0):
    return f"document.querySelectorAll('video')[{index}].dispatchEvent(new Event('{event}'));"


def begin(index=0):
    return native("webkitbeginfullscreen", index)


def end(index=0):
    return native("webkitendfullscreen", index)


def standard(element):
    """As if `element`, an expression, were in full screen now."""
    return ("Object.defineProperty(document, 'fullscreenElement', "
            f"{{configurable: true, value: {element}}});"
            "document.dispatchEvent(new Event('fullscreenchange', {bubbles: true}));")


FIRST = "document.querySelector('video')"


@in_each_engine
class Videos(BridgeTests):
    def expect(self, steps, *messages, body=VIDEOS):
        page = self.open("", body)
        page.run(steps)
        page.wait_for(*messages)
        # Whatever else the page had said would stand before this.
        page.run("sojourn.say('last')")
        page.wait_for(*messages, ("last", {}))
        return page

    def test_webkit_s_own_events_tell_of_a_video(self):
        self.expect(begin() + end(), enter("v1"), leave("v1"))

    def test_the_standard_s_event_tells_of_a_video(self):
        self.expect(standard(FIRST) + standard("null"), enter("v1"), leave("v1"))

    def test_a_video_has_the_page_s_name_its_id_or_its_number(self):
        self.expect(begin(0) + end(0) + begin(1) + end(1) + begin(2) + end(2),
                    enter("v1"), leave("v1"), enter("v2"), leave("v2"), enter("video-3"), leave("video-3"))

    def test_an_empty_name_is_none(self):
        self.expect(begin() + end(), enter("video-1"), leave("video-1"),
                    body="<video data-sojourn-video='' id=''></video>" + TALL)

    def test_what_contains_a_video_counts_as_the_video(self):
        self.expect(standard("box") + standard("null"), enter("inner"), leave("inner"))

    def test_a_picture_in_full_screen_is_no_video(self):
        self.expect(standard("picture") + standard("null"))

    def test_both_events_of_one_change_are_one_pair(self):
        self.expect(begin() + standard(FIRST) + end() + standard("null"), enter("v1"), leave("v1"))
        self.expect(standard(FIRST) + begin() + standard("null") + end(), enter("v1"), leave("v1"))

    def test_each_change_is_told(self):
        self.expect((begin() + end()) * 3, *[enter("v1"), leave("v1")] * 3)

    def test_a_video_that_takes_another_s_place_ends_it(self):
        self.expect(standard("box") + begin(1) + end(1),
                    enter("inner"), leave("inner"), enter("v2"), leave("v2"))

    def test_the_end_of_a_video_that_never_entered_is_none(self):
        self.expect(end(1) + begin(0) + end(1), enter("v1"))

    def test_a_video_leaves_under_the_name_it_entered_with(self):
        self.expect(begin(2) + "document.querySelector('video').remove();" + end(1),
                    enter("video-3"), leave("video-3"))

    def test_a_video_that_is_removed_leaves(self):
        self.expect(f"const video = {FIRST};" + standard("video") + "video.remove();"
                    + standard("null"), enter("v1"), leave("v1"))

    def test_a_video_made_later_is_followed(self):
        self.expect("const video = document.createElement('video'); video.id = 'late';"
                    "document.body.prepend(video);" + begin() + end(), enter("late"), leave("late"))

    def test_a_page_that_goes_ends_its_video(self):
        self.expect(begin() + "dispatchEvent(new Event('pagehide'));" * 2, enter("v1"), leave("v1"))

    def test_a_page_that_is_left_ends_its_video(self):
        # Not every engine still carries a message out of a page that goes: the next one reads it.
        keep = "window.SojournBridge = {post(text) { sessionStorage.setItem('said', text) }};"
        page = self.open("", VIDEOS, keep, over_http=True)
        page.run(begin())
        elsewhere = self.site.put("<!doctype html>elsewhere", over_http=True)
        page.run(f"setTimeout(() => {{ location.href = '{elsewhere}' }})")
        page.wait_until_loaded(elsewhere)
        said = json.loads(page.run("return sessionStorage.getItem('said')"))
        self.assertEqual((said["name"], said["attributes"]), leave("v1"))

    def test_events_of_other_elements_are_nothing(self):
        self.expect("for (const target of [window, document, picture])"
                    "for (const type of ['webkitbeginfullscreen', 'webkitendfullscreen',"
                    "'fullscreenchange', 'pagehide']) target.dispatchEvent(new Event(type));")

    def test_real_full_screen_is_told(self):
        page = self.open("", VIDEOS)
        if not page.run("return document.fullscreenEnabled"):
            self.skipTest("no full screen here")
        if self.engine.name != "Chromium":
            self.skipTest("no gesture can be made here")
        page.run(f"await {FIRST}.requestFullscreen()")
        page.wait_for(enter("v1"))
        page.run("await document.exitFullscreen()")
        page.wait_for(enter("v1"), leave("v1"))
