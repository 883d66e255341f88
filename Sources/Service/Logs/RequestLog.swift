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
