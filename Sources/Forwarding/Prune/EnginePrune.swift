import Curl
import Database
import Engine
import Storage

/// Prunes what the engine has, on all shards at once (docs/scale.md, Erasing, pruning, copies). What keeps it from
/// its end leaves the rest to the next prune; a statement whose answer is lost is given again.
struct EnginePrune {
    /// Rows that one statement looks at, about.
    private static let rowsAtOnce: UInt64 = 100_000
    /// Tries of one statement, where servers fail.
    private static let tries = 3

    private let session: EngineSession
    private let polling: Polling
    private let limit: PruneLimit
    /// One replica of each shard, which has all that others have.
    private var servers: [ServerAddress] = []

    init(_ session: EngineSession, _ limit: PruneLimit, _ polling: Polling) {
        (self.session, self.limit, self.polling) = (session, limit, polling)
    }

    /// - Returns: how many events went
    mutating func run(_ apps: [App]) throws(ForwardingError) -> Int64 {
        var events: Int64 = 0
        for app in apps {
            let rows = try counts(PruneStatement.candidates(app: app.name, limit)).max() ?? 0
            if rows == 0 { continue }
            let pieces = min(UInt64(clamping: rows) / Self.rowsAtOnce + 1, 1 << 20)
            let width = UInt64.max / pieces
            for piece in 0..<pieces {
                let first = piece * width
                let last = piece == pieces - 1 ? .max : first + (width - 1)
                events = events.addingSaturated(try prune(app, first...last))
            }
        }
        return events
    }

    /// The devices of a stretch; of half of it, and then of the other, where that takes too long.
    private mutating func prune(
        _ app: App, _ devices: ClosedRange<UInt64>
    ) throws(ForwardingError) -> Int64 {
        let statement = PruneStatement(
            app: app.name, limit, timeout: app.sessionTimeout, devices: devices)
        do throws(ForwardingError) {
            let events = try counts(statement.count).reduce(Int64(0)) { $0.addingSaturated($1) }
            if events > 0 { _ = try send(.rewrite(statement.rewrite)) }
            return events
        } catch {
            guard case .engine(let cause) = error, cause.isTooMuch,
                devices.lowerBound < devices.upperBound
            else { throw error }
            let middle = devices.lowerBound + (devices.upperBound - devices.lowerBound) / 2
            let before = try prune(app, devices.lowerBound...middle)
            return before.addingSaturated(try prune(app, (middle + 1)...devices.upperBound))
        }
    }

    private mutating func counts(_ statement: String) throws(ForwardingError) -> [Int64] {
        var counts: [Int64] = []
        for answer in try send(.read(statement)) {
            counts.append(
                try ForwardingError.reading(answer) { (reader) throws(RowBinary.Failure) in
                    reader.isAtEnd ? 0 : try reader.int64()
                })
        }
        return counts
    }

    /// An answer of each shard.
    private mutating func send(_ request: EngineRequest) throws(ForwardingError) -> [[UInt8]] {
        var triesLeft = Self.tries
        while true {
            do throws(EngineError) {
                if servers.isEmpty { servers = try CaughtUpReplicas.choose(session, polling) }
                return try session.perform(
                    servers.enumerated().map {
                        EngineSession.Order(request, to: $1, shard: $0)
                    })
            } catch {
                servers = []
                triesLeft -= 1
                // What is too much for one is so for another.
                guard !error.isTooMuch, error.mayPass, triesLeft > 0 else {
                    throw .engine(error)
                }
            }
        }
    }
}

extension EngineError {
    /// The same of fewer rows may work: the time or the memory was not enough.
    fileprivate var isTooMuch: Bool {
        switch kind {
        case .timeout: true
        case .exception: [159, 160, 241].contains(code ?? 0)
        default: false
        }
    }

    /// It may work with another try.
    fileprivate var mayPass: Bool { kind != .stranger && kind != .interrupted }
}
