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
