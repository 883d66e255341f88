import Database

/// Whether the WAL has lost what was on disk. SQLite reads a WAL up to the first frame that does not
/// fit, as a crash leaves one, and ignores the rest: also acknowledged transactions, if their
/// frames were harmed since.
///
/// A crash harms the last transaction alone, since each is synced before the next begins. So what follows
/// a frame that does not fit distinguishes the two: where a later transaction has ended and yet
/// another frame continues its checksum, all that comes before had been on disk.
package struct WALCheck {
    /// What does not hold what was written.
    package enum Fault: Equatable {
        case header
        /// Counted from 1.
        case frame(Int)

        /// The end of a sentence that begins with what is damaged.
        /// - Parameter whose: ` of …`, where the sentence is not about the WAL
        package func found(_ whose: String = "") -> String {
            let what =
                switch self {
                case .header: "the header"
                case .frame(let number): "frame \(number)"
                }
            return "\(what)\(whose) is not what it was, and hides what was stored later"
        }
    }

    /// How often the check starts over when a writer has restarted the WAL.
    private static let turns = 8

    /// Reads the WAL once; a writer may be at work.
    /// - Parameter readPage: fills a page, given its number, from the file; false where the file has
    ///   no such page.
    package static func run(
        _ wal: borrowing LayerFile,
        _ readPage: (Int, inout [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) -> Fault? {
        for _ in 0..<turns {
            guard let header = try WALHeader(of: wal) else { return nil }
            let fault =
                header.isSound
                ? try corruptFrame(wal, header)
                : try WALRemainder.hidesPages(wal, readPage) ? .header : nil
            // A writer restarts the WAL only when all of it was moved to the file.
            if try WALHeader(of: wal) == header { return fault }
        }
        return nil
    }

    private static func corruptFrame(
        _ wal: borrowing LayerFile, _ header: WALHeader
    ) throws(StorageError) -> Fault? {
        var chain = WALChain(header)
        while true {
            try chain.resume(wal)
            guard let later = try chain.laterCommit(wal) else { return nil }
            // A writer may have been changing what was read first; now all before `later` is final.
            chain.rewind()
            try chain.resume(wal)
            if chain.end < later {
                return .frame((chain.end - WALHeader.count) / WALFrame.count + 1)
            }
        }
    }
}

/// The frames of a WAL as SQLite follows them when it opens it: each has the header's salts, and a
/// checksum that continues that of the frame before.
struct WALChain {
    private let header: WALHeader
    private var sum: WALChecksum
    /// The offset after the last frame that fits.
    package private(set) var end = WALHeader.count
    private var committed: (sum: WALChecksum, end: Int)

    /// At the first frame.
    init(_ header: WALHeader) {
        self.header = header
        sum = header.sum
        committed = (header.sum, WALHeader.count)
    }

    /// Advances to the first frame that does not fit.
    package mutating func resume(_ wal: borrowing LayerFile) throws(StorageError) {
        var frame = WALFrame()
        while try frame.read(wal, at: end), frame.salts == header.salts, frame.page != 0 {
            let next = frame.sum(after: sum)
            if !next.matches(frame.stored) { return }
            sum = next
            end += WALFrame.count
            if frame.isCommit { committed = (sum, end) }
        }
    }

    /// Returns to the end of the last transaction: what comes before it is final.
    mutating func rewind() { (sum, end) = committed }

    /// Looks after its end for a frame that ends a transaction and has a successor. The successor's
    /// checksum continues its own, so it was written once that transaction was on disk.
    /// - Returns: the successor's offset
    func laterCommit(_ wal: borrowing LayerFile) throws(StorageError) -> Int? {
        var offset = end
        var frame = WALFrame()
        // Checksums that a successor of the last frame may continue: the one stored in that frame,
        // and the one that should be.
        var ends: [WALChecksum] = []
        var wasOwn = false
        var before = sum
        while try frame.read(wal, at: offset) {
            let isOwn = frame.salts == header.salts
            // One of the two frames may be corrupt and lack its salts, but not both.
            if isOwn || wasOwn,
                ends.contains(where: { frame.sum(after: $0).matches(frame.stored) })
            {
                return offset
            }
            let stored = WALChecksum(isBig: header.isBig, stored: frame.stored)
            ends = frame.isCommit ? [stored, frame.sum(after: before)] : []
            before = stored
            wasOwn = isOwn
            offset += WALFrame.count
        }
        return nil
    }
}
