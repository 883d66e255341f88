"""What apps put into a page before its own scripts run, as JavaScript; POST stands for a way out of the page.

The methods refuse another `this`, as the real ones do: Android's with "Java bridge method can't be
invoked on a non-injected object".
"""

WKWEBVIEW = """(() => { const post = POST, handler = {postMessage(text) {
    if (this !== handler) throw new TypeError('not the handler');
    if (typeof text != 'string') throw new TypeError('not a text');
    post(text) }};
    window.webkit = {messageHandlers: {sojourn: handler}} })();"""

ANDROID = """(() => { const post = POST, bridge = {post(text) {
    if (this !== bridge) throw new TypeError('not the bridge');
    if (typeof text != 'string') throw new TypeError('not a text');
    post('android ' + text) }};
    window.SojournBridge = bridge })();"""

THROWING = """window.webkit = {messageHandlers: {sojourn: {
    postMessage() { throw new Error('the app is gone') }}}};"""

# An app that only looks at URLs, and a browser, where no app is.
NONE = ""

# What a page's console and its error handlers would have been told.
COMPLAINTS = """(() => { const list = []; Object.defineProperty(window, 'complaints', {value: list});
    for (const level of ['log', 'warn', 'error', 'info', 'debug'])
        console[level] = (...words) => list.push(level + ': ' + words.join(' '));
    addEventListener('error', event => list.push('error: ' + event.message));
    addEventListener('unhandledrejection', event => list.push('rejection: ' + event.reason)) })();"""
