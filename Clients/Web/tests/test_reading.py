"""`content.view`, and reading to the end."""
from harness.case import BOTTOM, COMPLETE, META, TALL, VIEW, BridgeTests, in_each_engine

MARK = "<p data-sojourn-end style='margin:0;height:20px'>end</p>"
COMMENTS = "<div style='height:3000px'>comments</div>"
TO_BOTTOM = "scrollTo(0, 1e7)"


@in_each_engine
class Views(BridgeTests):
    def test_a_page_that_names_its_content_is_viewed_once_it_is_parsed(self):
        self.site.hold()
        self.addCleanup(self.site.release)
        page = self.open(META, TALL + "<img src=/held/a>", over_http=True, state="interactive")
        page.expect(VIEW)

    def test_the_name_may_stand_in_the_body(self):
        self.open("", TALL + META).expect(VIEW)

    def test_a_page_without_or_with_an_empty_name_is_not_viewed(self):
        self.open("", TALL).expect()
        self.open("<meta name=sojourn-content content=''>", "short").expect(BOTTOM)

    def test_a_script_that_comes_after_everything_says_it_too(self):
        page = self.open_text(f"<!doctype html>{META}<p>short")
        page.run("const script = document.createElement('script'); script.src = 'sojourn.js';"
                 "document.head.append(script)")
        page.expect(VIEW, COMPLETE)

    def test_a_deferred_script_says_it_too(self):
        self.open_text(f"<!doctype html><script defer src=sojourn.js></script>{META}short").expect(
            VIEW, COMPLETE)


@in_each_engine
class Ends(BridgeTests):
    def test_a_long_page_is_complete_at_its_end_and_only_once(self):
        page = self.open(META, TALL)
        page.run("scrollTo(0, 1000)")
        page.expect(VIEW)
        page.run(TO_BOTTOM)
        page.wait_for(VIEW, COMPLETE)
        page.run("scrollTo(0, 0); await new Promise(requestAnimationFrame)")
        page.run(TO_BOTTOM + "; dispatchEvent(new Event('resize'))")
        page.expect(VIEW, COMPLETE)

    def test_without_a_content_it_is_scrolled_to_the_bottom(self):
        page = self.open("", TALL)
        page.expect()
        page.run(TO_BOTTOM)
        page.expect(BOTTOM)

    def test_a_page_that_fits_is_complete(self):
        self.open(META, "<p>short").expect(VIEW, COMPLETE)
        self.open("", "<p>short").expect(BOTTOM)

    def test_two_pixels_are_near_enough_and_eight_are_not(self):
        page = self.open(META, TALL)
        page.run("scrollTo(0, 4000 - innerHeight - 8)")
        page.expect(VIEW)
        page.run("scrollTo(0, 4000 - innerHeight - 2)")
        page.expect(VIEW, COMPLETE)

    def test_a_flick_to_the_end_and_back_counts(self):
        page = self.open(META, TALL)
        page.wait_for(VIEW)
        frame = "await new Promise(requestAnimationFrame);"
        page.run(f"{TO_BOTTOM}; {frame * 2} scrollTo(0, 0); {frame}")
        page.expect(VIEW, COMPLETE)

    def test_a_page_that_shrinks_is_complete(self):
        page = self.open(META, TALL)
        page.expect(VIEW)
        page.run("tall.style.height = '100px'")
        page.expect(VIEW, COMPLETE)

    def test_a_page_that_grows_before_it_fits_is_not(self):
        page = self.open(META, "<p>short<script>addEventListener('DOMContentLoaded', () => "
                         "document.body.style.height = '4000px')</script>")
        page.expect(VIEW)
        page.run(TO_BOTTOM)
        page.expect(VIEW, COMPLETE)

    def test_a_body_as_high_as_the_window_has_its_end_where_its_content_ends(self):
        style = "<style>html, body { height: 100% }</style>"
        page = self.open(META + style, TALL)
        page.expect(VIEW)
        page.run("tall.style.height = '100px'")
        page.expect(VIEW, COMPLETE)

    def test_quirks_mode_has_the_same_end(self):
        page = self.open(META, TALL, doctype="")
        page.expect(VIEW)
        page.run(TO_BOTTOM)
        page.expect(VIEW, COMPLETE)


@in_each_engine
class Marks(BridgeTests):
    def test_comments_below_the_mark_need_not_be_read(self):
        page = self.open(META, TALL + MARK + COMMENTS)
        page.run("scrollTo(0, 4000 - innerHeight)")
        page.expect(VIEW)
        page.run("scrollTo(0, 4020 - innerHeight)")
        page.expect(VIEW, COMPLETE)

    def test_a_leap_over_the_mark_does_not_count(self):
        page = self.open(META, TALL + MARK + COMMENTS)
        page.run(TO_BOTTOM)
        page.expect(VIEW)
        page.run("scrollTo(0, 3900)")
        page.expect(VIEW, COMPLETE)

    def test_an_inner_scroller_ends_at_the_mark(self):
        page = self.open(META, f"<div id=box style='height:100vh;overflow:auto'>{TALL}{MARK}</div>")
        page.expect(VIEW)
        page.run("box.scrollTop = 1e6")
        page.expect(VIEW, COMPLETE)

    def test_what_an_inner_scroller_clips_is_not_in_the_window(self):
        page = self.open(META, "<div id=box style='height:100px;overflow:auto'>"
                         f"<div style='height:200px'></div>{MARK}</div>")
        page.expect(VIEW)
        page.run("box.scrollTop = 1e6")
        page.expect(VIEW, COMPLETE)

    def test_an_inner_scroller_whose_content_shrinks_is_complete(self):
        page = self.open(META, f"<div style='height:100vh;overflow:auto'>{TALL}{MARK}</div>")
        page.expect(VIEW)
        page.run("tall.style.height = '100px'")
        page.expect(VIEW, COMPLETE)

    def test_a_body_that_scrolls_in_place_of_the_window_ends_at_the_mark(self):
        style = "<style>html, body { height: 100%; overflow: hidden auto }</style>"
        page = self.open(META + style, TALL + MARK)
        page.expect(VIEW)
        page.run("scrollTo(0, 1e6); document.body.scrollTop = 1e6")
        page.expect(VIEW, COMPLETE)

    def test_overflow_of_the_body_is_the_window_s(self):
        style = "<style>html, body { height: 100%; overflow-x: hidden } html { overflow: visible }</style>"
        page = self.open(META + style, TALL + MARK + COMMENTS)
        page.run("scrollTo(0, 4020 - innerHeight)")
        page.expect(VIEW, COMPLETE)

    def test_a_mark_may_be_hidden_until_the_page_is_filled(self):
        page = self.open(META, "<p>loading<div id=mark hidden data-sojourn-end></div>")
        page.expect(VIEW)
        page.run("mark.hidden = false")
        page.expect(VIEW, COMPLETE)

    def test_empty_marks_have_a_position(self):
        for mark in ("<div data-sojourn-end></div>", "<span data-sojourn-end></span>"):
            with self.subTest(mark):
                page = self.open(META, TALL + mark + COMMENTS)
                page.expect(VIEW)
                page.run("scrollTo(0, 4000)")
                page.expect(VIEW, COMPLETE)

    def test_a_whole_article_ends_with_its_last_line(self):
        page = self.open(META, f"<article data-sojourn-end>{TALL}</article>{COMMENTS}")
        page.run("scrollTo(0, 3000)")
        page.expect(VIEW)
        page.run("scrollTo(0, 4000 - innerHeight)")
        page.expect(VIEW, COMPLETE)

    def test_pages_beside_one_another_end_on_the_last(self):
        column = "<div style='flex:none;width:100vw;height:300px'>"
        page = self.open(META, f"<div id=box style='display:flex;overflow:auto'>{column}</div>"
                         f"{column}{MARK}</div></div>")
        page.expect(VIEW)
        page.run("box.scrollLeft = 1e6")
        page.expect(VIEW, COMPLETE)

    def test_a_mark_beside_the_window_is_never_reached(self):
        self.open(META, "<p data-sojourn-end style='position:absolute;left:-9999px'>end").expect(VIEW)


@in_each_engine
class Images(BridgeTests):
    def setUp(self):
        self.site.hold()
        self.addCleanup(self.site.release)

    def open_with(self, image):
        return self.open(META, image, over_http=True, state="interactive")

    def test_a_page_is_not_complete_before_its_images(self):
        page = self.open_with("<img src=/held/b style='display:block'>")
        page.expect(VIEW)
        self.site.release()
        page.wait_until_loaded(page.run("return location.href"))
        page.expect(VIEW)
        page.run(TO_BOTTOM)
        page.expect(VIEW, COMPLETE)

    def test_a_page_is_not_complete_before_it_is_loaded(self):
        page = self.open_with("<p>text<img src=/held/hidden style='display:none'>")
        page.expect(VIEW)
        self.site.release()
        page.expect(VIEW, COMPLETE)

    def test_a_lazy_image_in_view_is_waited_for(self):
        page = self.open_with("<p>text<img loading=lazy src=/held/c style='display:block'>")
        page.wait_until_loaded(page.run("return location.href"))
        page.expect(VIEW)
        self.site.release()
        page.wait(lambda: page.run("return document.images[0].complete"), "the image")
        page.expect(VIEW)
        page.run(TO_BOTTOM)
        page.expect(VIEW, COMPLETE)

    def test_images_that_nobody_sees_are_not_waited_for(self):
        hidden = "<img loading=lazy src=/held/d style='display:none'>"
        below = "<img loading=lazy src=/held/e style='display:block'>"
        page = self.open_with(f"{MARK}{hidden}<div style='height:9000px'></div>{below}")
        page.expect(VIEW, COMPLETE)

    def test_a_broken_image_is_not_waited_for(self):
        self.open_with("<p>text<img src=none.png>").expect(VIEW, COMPLETE)
