import Database

/// The frames of a log as SQLite goes through them when it opens it: each with the header's salts, and a
/// checksum that goes on from that of the one before.
struct LogChain {
    private let header: LogHeader
    private var sum: LogSum
    /// Behind the last frame that fits, in octets.
    package private(set) var end = LogHeader.count
    private var committed: (sum: LogSum, end: Int)

    /// At the first frame.
    init(_ header: LogHeader) {
        self.header = header
        sum = header.sum
        committed = (header.sum, LogHeader.count)
    }

    /// Goes on to the first frame that does not fit.
    package mutating func goOn(_ log: borrowing LayerFile) throws(StorageError) {
        var frame = LogFrame()
        while try frame.read(log, at: end), frame.salts == header.salts, frame.page != 0 {
            let next = frame.sum(behind: sum)
            if !next.stands(in: frame.stored) { return }
            sum = next
            end += LogFrame.count
            if frame.isCommit { committed = (sum, end) }
        }
    }

    /// Goes back behind the last frame that ends a transaction: what stands before is for good.
    mutating func goBack() { (sum, end) = committed }

    /// Looks behind its end for a frame that ends a transaction and has a successor. The successor's
    /// checksum goes on from its own, so it was written when that transaction was on disk.
    /// - Returns: where the successor begins
    func laterCommit(_ log: borrowing LayerFile) throws(StorageError) -> Int? {
        var place = end
        var frame = LogFrame()
        // Checksums with which a successor of the last frame may begin: the one that stands in that frame,
        // and the one that should.
        var ends: [LogSum] = []
        var wasOwn = false
        var before = sum
        while try frame.read(log, at: place) {
            let isOwn = frame.salts == header.salts
            // Of the two a spoilt frame may have lost its salts, but not both.
            if isOwn || wasOwn,
                ends.contains(where: { frame.sum(behind: $0).stands(in: frame.stored) })
            {
                return place
            }
            let stored = LogSum(isBig: header.isBig, stored: frame.stored)
            ends = frame.isCommit ? [stored, frame.sum(behind: before)] : []
            before = stored
            wasOwn = isOwn
            place += LogFrame.count
        }
        return nil
    }
}
