import Events
import Logging
import Sockets
import Synchronization

/// The lines of requests, at level `debug`: id, route, status, counts, duration.
final class RequestLog: Sendable {
    private let logger: Logging.Logger
    private let clock: @Sendable () -> Int64
    private let count = Atomic<Int>(0)

    /// - Parameter clock: nanoseconds, never set back
    init(
        _ logger: Logging.Logger,
        clock: @escaping @Sendable () -> Int64 = Clock.system.monotonic
    ) {
        self.logger = logger
        self.clock = clock
    }

    /// Nil where nobody would read it.
    func note(_ route: RouteLabel, app: String? = nil, profile: Profile? = nil) -> RequestNote? {
        guard logger.logLevel <= .debug else { return nil }
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        return RequestNote(
            number: number, route: route, app: app, profile: profile, began: clock())
    }

    /// The request has its answer.
    func write(_ note: RequestNote, status: Int) {
        let fields = note.fields(status: status, now: clock())
        logger.debug(
            "answered",
            metadata: Dictionary(uniqueKeysWithValues: fields))
    }

    /// A request that was refused before it was worth a note of its own.
    func write(refused code: ProblemCode, _ route: RouteLabel, status: Int) {
        guard let note = note(route) else { return }
        note.note(code)
        write(note, status: status)
    }
}

/// The log's line of one request, collected while it is under way: only where level `debug` is
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
    let number: Int
    let route: RouteLabel
    /// The app's id, where the path names one there is.
    let app: String?
    let profile: Profile?
    /// Nanoseconds of a clock that is never set.
    let began: Int64
    private let found = Mutex(Found())

    init(number: Int, route: RouteLabel, app: String?, profile: Profile?, began: Int64) {
        self.number = number
        self.route = route
        self.app = app
        self.profile = profile
        self.began = began
    }

    func note(_ counts: Counts) { found.withLock { $0.counts = counts } }

    func note(_ code: ProblemCode) { found.withLock { $0.code = code } }

    /// The log line's names and values.
    /// - Parameter now: on the clock of `began`
    func fields(status: Int, now: Int64) -> [(String, Logging.Logger.MetadataValue)] {
        let found = found.withLock { $0 }
        let microseconds = max(0, now - began) / 1000
        var fields: [(String, Logging.Logger.MetadataValue)] = [
            ("request", .stringConvertible(number)), ("route", .string(route.text)),
            ("status", .stringConvertible(status)),
            ("duration_us", .stringConvertible(Int(microseconds))),
        ]
        if let app { fields.append(("app", .string(app))) }
        if let profile { fields.append(("profile", .string(profile.name))) }
        if let counts = found.counts {
            fields.append(("accepted", .stringConvertible(counts.accepted)))
            fields.append(("rejected", .stringConvertible(counts.rejected)))
            fields.append(("duplicate", .stringConvertible(counts.isDuplicate)))
        }
        if let code = found.code { fields.append(("code", .string(code.rawValue))) }
        return fields
    }
}
