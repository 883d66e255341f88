import Database

/// Whether the log has lost what was on disk. SQLite takes a log up to the first frame that does not
/// fit, as a crash leaves one, and passes over the rest: also over transactions that were promised, if
/// their frames were harmed since.
///
/// A crash harms the last transaction alone, since each is synced before the next begins. So what stands
/// behind a frame that does not fit tells the two apart: where a later transaction has ended and yet
/// another frame goes on from it, the disk had all that is before.
package struct LogCheck {
    /// What is not as it was written.
    package enum Fault: Equatable {
        case header
        /// Counted from 1.
        case frame(Int)

        /// Ends a sentence that says that something is damaged.
        /// - Parameter whose: `of …`, where that is not the log; with a space before it
        package func found(_ whose: String = "") -> String {
            let what =
                switch self {
                case .header: "the header"
                case .frame(let number): "frame \(number)"
                }
            return "\(what)\(whose) is not what it was, and hides what was stored later"
        }
    }

    /// How often it begins anew when a writer has begun the log anew.
    private static let turns = 8

    /// Reads the log once, beside a writer if need be.
    /// - Parameter readPage: fills a page, by its number, with what the file has of it; false where it has
    ///   no such page.
    package static func run(
        _ log: borrowing LayerFile,
        _ readPage: (Int, inout [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) -> Fault? {
        for _ in 0..<turns {
            guard let header = try LogHeader(of: log) else { return nil }
            let fault =
                header.isSound
                ? try spoiltFrame(log, header)
                : try LogRest.hidesPages(log, readPage) ? .header : nil
            // The writer has its own sight of the log: that it has begun anew says that all was moved.
            if try LogHeader(of: log) == header { return fault }
        }
        return nil
    }

    private static func spoiltFrame(
        _ log: borrowing LayerFile, _ header: LogHeader
    ) throws(StorageError) -> Fault? {
        var chain = LogChain(header)
        while true {
            try chain.goOn(log)
            guard let later = try chain.laterCommit(log) else { return nil }
            // A writer may have been at work on what was read first. Now all before `later` is for good.
            chain.goBack()
            try chain.goOn(log)
            if chain.end < later {
                return .frame((chain.end - LogHeader.count) / LogFrame.count + 1)
            }
        }
    }
}

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
