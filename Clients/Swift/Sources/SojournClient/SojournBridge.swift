import Core

/// What lets a web view's page speak to the app (docs/client.md, Web views): by URLs that are never loaded,
/// or by messages. A page is not trusted, and learns nothing.
///
///     switch bridge.decide(url.absoluteString, isMainFrame: isMain) {
///     case .load: decisionHandler(.allow)
///     case .handled: decisionHandler(.cancel)
///     }
public final class SojournBridge: Sendable {
    /// What becomes of a URL.
    public enum Decision: Sendable, Hashable {
        /// Not the bridge's: the web view goes on.
        case load
        /// The bridge's, whatever it says: it never becomes a page.
        case handled
    }

    /// The content that the page shows, for pages that do not name it: 1 to 128 bytes of UTF-8.
    public let contentID: String?
    /// Schemes of the URLs that are the bridge's. They compare without case.
    public let schemes: [String]
    private let client: Client
    private let limit = Locked(BridgeLimit())
    /// Of lines for a developer.
    private let lines = Locked(BridgeLimit())

    /// A bridge of one web view.
    ///
    /// - Parameters:
    ///   - contentID: The content that the page shows, for pages that do not name it.
    ///   - schemes: Schemes of the URLs by which pages signal.
    public convenience init(contentID: String? = nil, schemes: [String] = ["mobile-event", "rb"]) {
        self.init(contentID: contentID, schemes: schemes, client: Sojourn.client)
    }

    package init(contentID: String?, schemes: [String] = ["mobile-event", "rb"], client: Client) {
        self.contentID = contentID
        self.schemes = schemes
        self.client = client
    }

    /// What to do with a URL that a frame wants to go to. At once, on any thread. A URL of the bridge's
    /// schemes is an event, if it has at most 8,192 bytes and breaks no rule.
    ///
    /// - Parameters:
    ///   - url: The whole URL, such as `mobile-event:NAME?key=value`.
    ///   - isMainFrame: Whether the frame is the page itself. URLs count from any frame.
    public func decide(_ url: String, isMainFrame: Bool) -> Decision {
        guard let rest = BridgeCall.own(url, schemes: schemes) else { return .load }
        // A URL's frame says nothing: pages signal by a frame that they remove.
        take(BridgeCall(url: rest))
        return .handled
    }

    /// A message that a frame has posted. At most 50 at once and then one a second count for a bridge.
    ///
    /// - Parameters:
    ///   - text: JSON, `{"name": "…", "attributes": {…}}`, at most 8,192 bytes.
    ///   - isMainFrame: Whether the frame is the page itself: others are ignored.
    public func message(_ text: String, isMainFrame: Bool) {
        guard isMainFrame else { return note("a frame's message is ignored") }
        // Counted before it is copied.
        let isShort = text.utf8.count <= BridgeCall.maxLength
        take(isShort ? BridgeCall(message: Array(text.utf8)) : nil)
    }

    private func take(_ call: BridgeCall?) {
        guard let call, let event = call.event(contentID: contentID) else {
            return note("what a page says breaks a rule, and is ignored")
        }
        guard isAdmitted(by: limit) else { return note("a page says too much, and is ignored") }
        client.event(event.name, event.attributes)
    }

    private func isAdmitted(by limit: Locked<BridgeLimit>) -> Bool {
        let now = SystemClock.monotonic() / 1_000_000
        return limit.use { $0.admit(at: now) }
    }

    /// A page can make no more lines than events.
    private func note(_ line: String) { if isAdmitted(by: lines) { client.note(line) } }
}
