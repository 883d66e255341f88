import Database
import Dispatch
import SQLiteFiles
import Synchronization

/// Moves frames of the WAL to the file beside the writer, which commits meanwhile, and has the disk take them.
/// What came meanwhile is left for the writer: a checkpoint of few frames and little to sync, after which
/// SQLite begins the WAL anew. On a connection and a queue of its own; asked on the writer's queue.
///
/// Nothing rests on what it has synced: SQLite counts frames as moved for good only with the checkpoint that moves
/// the last of them, and syncs the whole file before (https://www.sqlite.org/walformat.html, 2).
final class WALMover: @unchecked Sendable {
    /// How a move ended.
    struct Move {
        /// Frames in the WAL when it was begun.
        let frames: Int
        /// Whether none of them was held by a reader.
        let result: Result<Bool, StorageError>
    }

    private enum State {
        case idle
        case moving
        case ended(Move)
    }

    private let path: String
    /// Opened with the first move. Only on the queue.
    private var connection: Connection?
    private let queue = DispatchQueue(label: "sojourn.wal")
    private let moves = DispatchGroup()
    private let state = Mutex(State.idle)
    /// Whether a move was asked for while one was under way: a reader may have ended since that began. Only on the
    /// writer's queue.
    var isAskedAgain = false

    /// - Parameter path: of the database, which the writer has open
    init(path: String) { self.path = path }

    /// Whether one is under way.
    var isMoving: Bool {
        state.withLock { if case .moving = $0 { true } else { false } }
    }

    /// Begins one. None is under way.
    /// - Parameters:
    ///   - frames: how many the WAL has
    ///   - ended: called when it has ended, on another thread
    func begin(_ frames: Int, ended: @escaping @Sendable () -> Void) {
        state.withLock { $0 = .moving }
        isAskedAgain = false
        queue.async(group: moves) { [self] in
            let result = Result { () throws(StorageError) in try move() }
            state.withLock { $0 = .ended(Move(frames: frames, result: result)) }
            ended()
        }
    }

    /// How the last one ended, once; nil where none has since.
    func takeEnded() -> Move? {
        state.withLock { state in
            guard case .ended(let move) = state else { return nil }
            state = .idle
            return move
        }
    }

    /// Waits until none is under way. To be called before it is let go.
    func wait() { moves.wait() }

    private func move() throws(StorageError) -> Bool {
        do throws(StorageError) {
            let connection = try opened()
            let isWhole = try connection.checkpoint(.passive)
            try connection.syncFile()
            return isWhole
        } catch {
            // Somebody else checkpoints: then it is done.
            if error.kind == .busy { return true }
            throw error
        }
    }

    private func opened() throws(StorageError) -> Connection {
        if let connection { return connection }
        let fresh = try Connection(path: path, mode: .write, cacheBytes: 0, through: WALBuffer())
        // SQLite opens the WAL when it first reads the file.
        _ = try fresh.integer("PRAGMA schema_version")
        connection = fresh
        return fresh
    }
}
