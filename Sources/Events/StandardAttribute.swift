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
