/// What a server's answers depend on beside an app's events.
package struct ServerConditions: Sendable {
    /// The app's session timeout, ms.
    package let sessionTimeout: Int64
    /// The smallest group of devices that is shown.
    package let minGroup: Int64

    /// Conditions as they are known.
    package init(sessionTimeout: Int64, minGroup: Int64) {
        self.sessionTimeout = sessionTimeout
        self.minGroup = minGroup
    }

    /// Reads the index of reports (docs/reports.md, Asking); nil where it does not name the app.
    package init?(index: [UInt8], app: String) {
        guard let value = try? JSONValue(index), let group = value["min_group"]?.integer,
            let apps = value["apps"]?.elements,
            let row = apps.first(where: { $0["app"]?.string == app }),
            case .number(let seconds)? = row["session_timeout_s"], let seconds = Double(seconds),
            (0...1e9).contains(seconds)
        else { return nil }
        self.init(sessionTimeout: Int64((seconds * 1_000).rounded()), minGroup: group)
    }
}

extension TruthCheck {
    /// Whether answers under these conditions can be compared at all.
    ///
    /// - Throws: `TruthFailure` that says what has to be otherwise.
    package func require(_ conditions: ServerConditions) throws(TruthFailure) {
        guard conditions.minGroup <= 1 else {
            throw TruthFailure(
                "the server hides groups of fewer than \(conditions.minGroup) devices; "
                    + "set report-min-group to 1")
        }
        guard conditions.sessionTimeout == sessionTimeout else {
            throw TruthFailure(
                "the app's session timeout is \(conditions.sessionTimeout) ms and was "
                    + "\(sessionTimeout) ms for the truth; set it back, or simulate anew")
        }
    }
}
