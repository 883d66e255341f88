import Events
import Logging
import Sockets

/// The lines of an event loop's requests, at level `debug`: id, route, status, counts, duration. Used
/// on that loop's thread alone.
final class RequestLog {
    private let logger: Logging.Logger
    private let loop: Int
    private let clock: @Sendable () -> Int64
    private var count = 0

    init(_ logger: Logging.Logger, loop: Int, clock: @escaping @Sendable () -> Int64) {
        self.logger = logger
        self.loop = loop
        self.clock = clock
    }

    /// Nil where nobody would read it.
    func note(_ route: RouteLabel, app: String? = nil, profile: Profile? = nil) -> RequestNote? {
        guard logger.logLevel <= .debug else { return nil }
        count &+= 1
        return RequestNote(
            id: "\(loop)-\(count)", route: route, app: app, profile: profile, began: clock())
    }

    /// The request has its answer.
    func write(_ note: RequestNote, status: Int) {
        let fields = note.fields(status: status, now: clock())
        logger.debug(
            "answered",
            metadata: Dictionary(uniqueKeysWithValues: fields.map { ($0.name, .string($0.value)) }))
    }

    /// A request that was refused before it was worth a note of its own.
    func write(refused code: ProblemCode, _ route: RouteLabel, status: Int) {
        guard let note = note(route) else { return }
        note.note(code)
        write(note, status: status)
    }
}
