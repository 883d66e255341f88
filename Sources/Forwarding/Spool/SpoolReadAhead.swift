import Database
import Dispatch
import Storage
import Synchronization

/// Reads units of the spool on a thread of its own, so that the next one is there while one is on its way. One
/// thread at a time may use it.
final class SpoolReadAhead: Sendable {
    /// Which unit.
    struct Request: Equatable {
        /// The row of the last batch before it.
        var batch: Int64
        var number: UInt64
        let shards: Int
        /// The limit of the last prune, milliseconds since 1970.
        let prunedTo: Int64
    }

    private struct State: ~Copyable {
        let spool: SpoolReader
        let size: SpoolUnit.Limit
        var next: (request: Request, unit: SpoolUnit)?

        func read(_ request: Request) throws(StorageError) -> SpoolUnit? {
            try spool.unit(
                after: request.batch, shards: request.shards, number: request.number,
                prunedTo: request.prunedTo, size)
        }
    }

    private let state: Mutex<State>
    private let queue: DispatchQueue

    /// - Parameter queue: on which nothing else is done
    init(
        _ spool: sending SpoolReader, _ size: SpoolUnit.Limit,
        on queue: DispatchQueue = DispatchQueue(label: "sojourn.forward.read")
    ) {
        state = Mutex(State(spool: spool, size: size))
        self.queue = queue
    }

    /// The unit as it is now, or as it was when it was begun if it was full then.
    func unit(_ request: Request) throws(StorageError) -> SpoolUnit? {
        let result = queue.sync {
            state.withLock { state -> Result<SpoolUnit?, StorageError> in
                let next = state.next
                state.next = nil
                if let next, next.request == request { return .success(next.unit) }
                return Result { () throws(StorageError) in try state.read(request) }
            }
        }
        return try result.get()
    }

    /// Begins to read a unit that will be asked for.
    func begin(_ request: Request) {
        queue.async { [self] in
            state.withLock { state in
                // What fails fails again when it is asked for, and what was not full has more in it by then.
                guard let unit = try? state.read(request), unit.isFull else { return }
                state.next = (request, unit)
            }
        }
    }

    /// Forgets what was begun: the spool has changed in what was there. Then nothing is read.
    func forget() {
        queue.sync { state.withLock { $0.next = nil } }
    }
}
