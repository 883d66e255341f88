import Database
import SQLiteFiles
import Storage

/// Runs the steps of an erasure, a prune or an emptying of the spool on the connection that writes, each in a
/// transaction of its own. Batches that wait for the writer wait for one step at most.
protocol StepRunner {
    /// Runs a step. Throws what keeps it from writing, and what `work` throws: then the step is rolled back.
    /// - Parameter keeping: what of the rows that the writer remembers it does not change
    /// - Returns: what `work` returns, and for how long it blocked the writer
    func step<T: Sendable>(
        keeping: WriterMemory, _ work: @Sendable (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> (result: T, time: SliceTime)
}

extension StoreWriter: StepRunner {
    func step<T: Sendable>(
        keeping: WriterMemory, _ work: @Sendable (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> (result: T, time: SliceTime) {
        try perform(keeping: keeping) { (connection) throws(StorageError) in
            try connection.timedTransaction { () throws(StorageError) in try work(connection) }
        }
    }
}

/// Steps on a connection that nobody else waits for, as at the start.
final class SoleWriter: StepRunner {
    /// At which the WAL is moved to the file: 32 MB.
    private static let framesPerCheckpoint = 8_192

    private let connection: Connection
    private var frames = framesPerCheckpoint

    /// - Parameter connection: one that writes, in no transaction, alone on its file
    init(_ connection: Connection) { self.connection = connection }

    func step<T: Sendable>(
        keeping: WriterMemory, _ work: @Sendable (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> (result: T, time: SliceTime) {
        if connection.framesInWAL >= frames { frames = try shortenWAL() }
        return try connection.timedTransaction { () throws(StorageError) in try work(connection) }
    }

    /// - Returns: how many frames it may have before the next time: more where a reader holds it
    private func shortenWAL() throws(StorageError) -> Int {
        do throws(StorageError) {
            if try connection.checkpoint(.passive) { return Self.framesPerCheckpoint }
        } catch {
            guard error.kind == .busy else { throw error }
        }
        return connection.framesInWAL + max(Self.framesPerCheckpoint, connection.framesInWAL / 4)
    }
}
