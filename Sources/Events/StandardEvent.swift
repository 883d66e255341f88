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

/// The attributes that standard events use (docs/protocol.md, Events).
package enum StandardAttribute: UInt8, CaseIterable, Sendable {
    case sessionID
    case screenName
    case counterName
    case counterValue
    case contentID
    case videoID
    case webviewEventName

    /// What a value has to be.
    package enum Form: Hashable, Sendable {
        /// A string of so many bytes.
        case text(ClosedRange<Int>)
        /// An integer within these.
        case integer(ClosedRange<Int64>)
    }

    /// The key on the wire.
    package var key: String {
        switch self {
        case .sessionID: "session.id"
        case .screenName: "app.screen.name"
        case .counterName: "counter.name"
        case .counterValue: "counter.value"
        case .contentID: "content.id"
        case .videoID: "video.id"
        case .webviewEventName: "webview.event.name"
        }
    }

    /// What its value has to be in an event that needs it; `session.id` has to be so in every
    /// event.
    package var form: Form {
        switch self {
        case .sessionID: .text(1...BatchLimit.sessionID)
        case .counterValue: .integer(1...BatchLimit.counterValue)
        default: .text(1...BatchLimit.standardText)
        }
    }
}
