/// The events that every app means the same by (docs/protocol.md, Events). Any other name is the
/// app's own and requires nothing.
package enum StandardEvent: String, CaseIterable, Sendable {
    case sessionStart = "session.start"
    case sessionResume = "session.resume"
    case sessionEnd = "session.end"
    case screenView = "screen.view"
    case usageCounter = "usage.counter"
    case contentView = "content.view"
    case contentComplete = "content.complete"
    case videoEnterFullscreen = "video.enter_fullscreen"
    case videoExitFullscreen = "video.exit_fullscreen"
    case webviewEvent = "webview.event"

    /// The name on the wire.
    package var name: String { rawValue }

    /// The attribute without which the event is rejected.
    package var required: StandardAttribute {
        switch self {
        case .sessionStart, .sessionResume, .sessionEnd: .sessionID
        case .screenView: .screenName
        case .usageCounter: .counterName
        case .contentView, .contentComplete: .contentID
        case .videoEnterFullscreen, .videoExitFullscreen: .videoID
        case .webviewEvent: .webviewEventName
        }
    }

    /// An attribute that may be absent, but has to be of its form.
    package var optional: StandardAttribute? {
        self == .usageCounter ? .counterValue : nil
    }

    /// What the sender says by it.
    package var meaning: String {
        switch self {
        case .sessionStart: "the app was opened"
        case .sessionResume: "it came back to the foreground"
        case .sessionEnd: "it went to the background or was closed"
        case .screenView: "an important page was seen"
        case .usageCounter: "a counter went up by that much"
        case .contentView: "content was shown"
        case .contentComplete: "content was read to the bottom"
        case .videoEnterFullscreen: "full-screen video began"
        case .videoExitFullscreen: "full-screen video ended"
        case .webviewEvent: "embedded web content signalled the app"
        }
    }
}
