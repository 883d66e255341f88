import Client

/// What embedded pages say: the app makes calls of it by the bridge's decision.
enum WebPage {
    /// The scheme that pages use where they have no message handler.
    static let schemes = ["mobile-event"]

    /// A page's content was shown, or read to its end.
    static func content(_ name: String, id: String) -> Said {
        let word = name == "content.complete" ? "scrolled.bottom" : name
        return Said(
            name, [("content.id", .string(id))],
            .message(#"{"name":"\#(word)","attributes":{}}"#, contentID: id))
    }

    /// A step of a page's own funnel, by a URL.
    static func step(_ name: String, form: String) -> Said {
        Said(
            "webview.event",
            [("webview.event.name", .string(name)), ("form", .string(form))],
            .url("mobile-event://\(name)/?form=\(form)", contentID: nil))
    }

    /// The call in a URL, nil where it is a page to be loaded.
    static func call(url: String) -> BridgeCall? {
        BridgeCall.own(url, schemes: schemes).flatMap { BridgeCall(url: $0) }
    }
}
