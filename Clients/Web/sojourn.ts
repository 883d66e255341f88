/*
 * What a page tells the app around it; docs/web.md says what, when and how. build.sh puts one
 * function around all of this, so that the page gets no global but `sojourn`.
 *
 * The page may be anything. Whatever runs on its own goes through `quietly`, since an error of
 * this file's would be a line in the page's console.
 */

/** What apps put into their pages. In a browser there is neither. */
declare const webkit: { messageHandlers: { sojourn: { postMessage: Post } } };
declare const SojournBridge: { post: Post };

interface Window {
    sojourn: Sojourn;
}

/** Hands a text over to the app. */
type Post = (text: string) => void;

/** What lies above one another in the window, in CSS pixels. */
type Span = { top: number; bottom: number };

const enum Limit {
    /** The longest message, in bytes, and the longest URL. */
    length = 8192,
    /** How far outside the window the end may be, in CSS pixels: positions are rounded. */
    tolerance = 2,
    /** Milliseconds between two looks for the end: no event tells of everything that moves it. */
    interval = 200,
}

/** How far the page has been read. */
const enum Progress {
    none,
    viewed,
    complete,
}

/** How a message begins: a name of the permitted characters, then attributes that are an object. */
const messageForm = /^{"name":"[\w.-]{1,128}","attributes":{/;

const page = document;

/** Of the element that loads this file; a module has none. */
const scheme = (page.currentScript as HTMLScriptElement | null)?.dataset["scheme"];

let progress = Progress.none;

/** The video in full screen, and what was said of it when it entered. */
let shownVideo: Element | null | undefined;
let shownAttributes: object;

/** The value of `action`, or none where it throws. */
const quietly = <Value>(action: () => Value): Value | void => {
    try {
        return action();
    } catch {}
};

// MARK: Saying

/**
 * How to post to the app, or none where no app listens. It is looked for each time, since an
 * app may come late; elements and frames of these names have no such method, or refuse to tell.
 */
const findPost = (): Post | void =>
    quietly((handler = webkit.messageHandlers.sojourn) => handler.postMessage.bind(handler)) ||
    quietly(() => SojournBridge.post.bind(SojournBridge));

/** A part of a URL's query. A value that is no string is written as in JSON. */
const encode = (value: unknown): string =>
    encodeURIComponent(typeof value == "string" ? value : JSON.stringify(value));

/** A message as a URL. */
const makeURL = (text: string): string => {
    const { name, attributes } = JSON.parse(text);
    const pairs = Object.entries(attributes).map((pair) => pair.map(encode).join("="));
    const query = pairs.join("&");
    return `${scheme}://${name}${query && "?" + query}`;
};

/** Requests a URL in a frame of its own, so that the page stays. */
const request = (url: string): void => {
    const frame = page.createElement("iframe");
    frame.src = url;
    page.documentElement.append(frame);
    frame.remove();
};

/** `sojourn.say`: drops what has not the form of a message; the app judges and logs the rest. */
const say = (name: string, attributes?: unknown): void => {
    quietly(() => {
        const text = JSON.stringify({ name, attributes: attributes || {} });
        const post = findPost();
        const sent = post ? text : scheme && makeURL(text);
        if (sent && messageForm.test(text) && new Blob([sent]).size <= Limit.length)
            (post || request)(sent);
    });
};

// MARK: Reading to the end

/** What scrolls with the window: `body` in quirks mode. */
const scrollingElement = (): Element => page.scrollingElement || page.documentElement;

/** Whether an element's end is inside the window, and inside whatever else scrolls or clips it. */
const showsEnd = (element: Element): boolean | undefined => {
    const root = scrollingElement();
    // Lines and columns have a rectangle each; what is not rendered has none.
    const last = [...element.getClientRects()].pop();
    const spans: Span[] = [{ top: 0, bottom: root.clientHeight }];
    // What is set for `body` itself holds for the window.
    for (let box = element.parentElement; box?.matches("body *"); box = box.parentElement)
        if (getComputedStyle(box).overflowY != "visible") spans.push(box.getBoundingClientRect());
    return (
        last &&
        last.left < root.clientWidth &&
        last.right >= 0 &&
        spans.every(
            ({ top, bottom }) =>
                last.bottom >= top - Limit.tolerance && last.bottom <= bottom + Limit.tolerance
        )
    );
};

/** Whether the end that the page marks, or else that of the document, is inside the window. */
const isAtEnd = (): boolean | undefined => {
    const mark = page.querySelector("[data-sojourn-end]");
    const root = scrollingElement();
    return mark
        ? showsEnd(mark)
        : root.scrollHeight - root.scrollTop <= root.clientHeight + Limit.tolerance;
};

/** Whether an image in view is still to come, which may move the end: a lazy one, after `load`. */
const awaitsImage = (): boolean =>
    [...page.images].some((image) => !image.complete && showsEnd(image));

/** Says once that the page was viewed, and once that its end was. */
const check = (): void => {
    const id = page.querySelector<HTMLMetaElement>("meta[name=sojourn-content]")?.content;
    const attributes = id && { "content.id": id };
    const state = page.readyState;
    if (!progress && state != "loading") {
        progress = Progress.viewed;
        if (id) say("content.view", attributes);
    }
    if (progress == Progress.viewed && state == "complete" && isAtEnd() && !awaitsImage()) {
        progress = Progress.complete;
        say(id ? "content.complete" : "scrolled.bottom", attributes);
    }
};

/** Checks from time to time until the page is complete. */
const watch = (): void => {
    quietly(check);
    if (progress < Progress.complete) setTimeout(watch, Limit.interval);
};

// MARK: Videos in full screen

/** The video that an element is or contains. */
const findVideo = (element: Element | null): HTMLVideoElement | null =>
    element && (element.closest("video") || element.querySelector("video"));

/** What the page calls a video, or else its number among all, from 1. */
const videoID = (video: HTMLVideoElement): string =>
    video.dataset["sojournVideo"] ||
    video.id ||
    "video-" + ([...page.querySelectorAll("video")].indexOf(video) + 1);

/** Says that another video, or none, is in full screen now; two events of one change are one. */
const show = (video: HTMLVideoElement | null): void => {
    if (video == shownVideo) return;
    if (shownVideo) say("video.exit_fullscreen", shownAttributes);
    shownVideo = video;
    if (video) say("video.enter_fullscreen", (shownAttributes = { "video.id": videoID(video) }));
};

// MARK: Starting

/** What is done at each event, given its target. */
const reactions: { [type: string]: (target: Element) => void } = {
    readystatechange: check,
    scroll: check,
    fullscreenchange: () => show(findVideo(page.fullscreenElement)),
    webkitbeginfullscreen: (target) => show(findVideo(target)),
    webkitendfullscreen: (target) => findVideo(target) == shownVideo && show(null),
    pagehide: () => show(null),
};

/** Listens on the way down, where also events pass that do not bubble. */
const start = (): void => {
    window.sojourn = { say };
    for (const type in reactions)
        addEventListener(type, ({ target }) => quietly(() => reactions[type]!(target as Element)), true);
    watch();
};

// Once: an element whose id is `sojourn` says nothing.
if (!quietly(() => sojourn.say.call)) quietly(start);
