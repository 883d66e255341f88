import Events

/// The records of one request that were not taken: how many for each code, and where the first stands.
package struct LogRejections: Sendable {
    package struct Entry: Sendable {
        /// As on the wire.
        package let code: String
        /// What to do about the first, one sentence.
        package var detail: String
        package var count: Int
        package var first: RecordPlace
    }

    /// In the order of docs/opentelemetry.md, What is rejected.
    package private(set) var entries: [Entry] = []

    /// The codes in that order.
    package static let codes = [BatchRule.deviceID.code] + EventRule.codes

    package init() {}

    /// How many there are.
    package var count: Int { entries.reduce(0) { $0 + $1.count } }

    /// A record of a resource without a device.
    mutating func addWithoutDevice(at place: RecordPlace) {
        add(BatchRule.deviceID.code, 1, at: place, BatchRule.deviceID.recordDetail)
    }

    mutating func add(_ rule: EventRule, at place: RecordPlace) {
        add(rule, 1, at: place)
    }

    /// So many records that break a rule, the first of which stands there.
    package mutating func add(_ rule: EventRule, _ count: Int, at place: RecordPlace) {
        add(rule.code, count, at: place, rule.recordDetail)
    }

    /// - Parameter detail: made only of the first of a code
    private mutating func add(
        _ code: String, _ count: Int, at place: RecordPlace, _ detail: @autoclosure () -> String
    ) {
        if let known = entries.firstIndex(where: { $0.code == code }) {
            entries[known].count += count
            if place < entries[known].first {
                entries[known].first = place
                entries[known].detail = detail()
            }
            return
        }
        let rank = Self.codes.firstIndex(of: code) ?? Self.codes.count
        let next = entries.firstIndex { (Self.codes.firstIndex(of: $0.code) ?? 0) > rank }
        entries.insert(
            Entry(code: code, detail: detail(), count: count, first: place),
            at: next ?? entries.count)
    }
}

extension BatchRule {
    /// `detail`, in the words of OTLP.
    var recordDetail: String {
        "the resource must have app.installation.id or device.id, a string of 1 to "
            + "\(BatchLimit.deviceID) bytes"
    }
}

extension EventRule {
    /// `detail`, in the words of OTLP.
    package var recordDetail: String {
        switch self {
        case .time: "time_unix_nano or observed_time_unix_nano must be set"
        case .missing:
            "session.start, .resume and .end need session.id, screen.view app.screen.name, usage.counter "
                + "counter.name, content.view and .complete content.id, video events video.id, "
                + "webview.event webview.event.name"
        default: detail
        }
    }
}
