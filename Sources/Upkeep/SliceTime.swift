import Database
import Dispatch

/// How long a slice held the writer up, nanoseconds.
struct SliceTime: Sendable {
    let work: UInt64
    /// With its sync.
    let commit: UInt64
}

extension Connection {
    /// Runs work in a transaction, and says how long that took.
    func timedTransaction<T>(
        _ work: () throws(StorageError) -> T
    ) throws(StorageError) -> (result: T, time: SliceTime) {
        let begin = DispatchTime.now().uptimeNanoseconds
        var end = begin
        let result = try transaction { () throws(StorageError) in
            let result = try work()
            end = DispatchTime.now().uptimeNanoseconds
            return result
        }
        let commit = DispatchTime.now().uptimeNanoseconds - end
        return (result, SliceTime(work: end - begin, commit: commit))
    }
}
