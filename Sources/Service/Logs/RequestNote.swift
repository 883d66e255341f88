import Events
import Synchronization

/// What the log tells of one request, gathered while it is under way: only where level `debug` is
/// logged. Nothing in it comes from the request's text.
final class RequestNote: Sendable {
    /// Of a batch that was taken.
    struct Counts: Equatable {
        var accepted: Int
        var rejected: Int
        var isDuplicate = false
    }

    private struct Found {
        var counts: Counts?
        var code: ProblemCode?
    }

    /// Unique in this run.
    let id: String
    let route: RouteLabel
    /// The app's id, where the path names one there is.
    let app: String?
    let profile: Profile?
    /// Nanoseconds of a clock that is never set.
    let began: Int64
    private let found = Mutex(Found())

    init(id: String, route: RouteLabel, app: String?, profile: Profile?, began: Int64) {
        self.id = id
        self.route = route
        self.app = app
        self.profile = profile
        self.began = began
    }

    func note(_ counts: Counts) { found.withLock { $0.counts = counts } }

    func note(_ code: ProblemCode) { found.withLock { $0.code = code } }

    /// The log line's names and values.
    /// - Parameter now: on the clock of `began`
    func fields(status: Int, now: Int64) -> [(name: String, value: String)] {
        let found = found.withLock { $0 }
        let microseconds = max(0, now - began) / 1000
        var fields = [
            ("request", id), ("route", route.text), ("status", String(status)),
            ("duration_us", String(microseconds)),
        ]
        if let app { fields.append(("app", app)) }
        if let profile { fields.append(("profile", profile.name)) }
        if let counts = found.counts {
            fields.append(("accepted", String(counts.accepted)))
            fields.append(("rejected", String(counts.rejected)))
            fields.append(("duplicate", counts.isDuplicate ? "true" : "false"))
        }
        if let code = found.code { fields.append(("code", code.rawValue)) }
        return fields
    }
}
