import Database

/// What stands in a log behind a header that SQLite does not take.
///
/// A power cut may leave such a header too, while a writer begins the log anew. Then all of it had been
/// moved to the file, so the two are compared.
enum LogRest {
    /// Whether there are pages, of transactions that were on disk, that the file does not have.
    static func hidesPages(
        _ log: borrowing LayerFile,
        _ readPage: (Int, inout [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        // The header would say in which order words are summed.
        for isBig in [false, true] {
            if try hidesPages(log, isBig: isBig, readPage) { return true }
        }
        return false
    }

    private static func hidesPages(
        _ log: borrowing LayerFile, isBig: Bool,
        _ readPage: (Int, inout [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        guard let (pages, size) = try pages(log, isBig: isBig) else { return false }
        var frame = LogFrame()
        var page = [UInt8](repeating: 0, count: Connection.pageSize)
        for (number, place) in pages where number <= size {
            guard try frame.read(log, at: place) else { return false }
            if try !readPage(number, &page) || !frame.holds(page) { return true }
        }
        return false
    }

    /// Where the last state of each page stands, and how many pages the file should have. Nil where no
    /// transaction is sure to have been on disk.
    private static func pages(
        _ log: borrowing LayerFile, isBig: Bool
    ) throws(StorageError) -> (pages: [Int: Int], size: Int)? {
        var frame = LogFrame()
        guard try frame.read(log, at: LogHeader.count) else { return nil }
        let salts = Array(frame.salts)
        var pages: [Int: Int] = [:]
        var open: [Int: Int] = [:]
        var size = 0
        var isSure = false
        var before: (sum: LogSum, isCommit: Bool)?
        var place = LogHeader.count
        while try frame.read(log, at: place), frame.salts == salts[...] {
            let stored = LogSum(isBig: isBig, stored: frame.stored)
            let fits = before.map { frame.sum(behind: $0.sum) == stored } ?? true
            if fits, before?.isCommit == true { isSure = true }
            open[frame.page] = place
            if fits, frame.isCommit {
                pages.merge(open) { $1 }
                open = [:]
                size = frame.size
            }
            before = (stored, frame.isCommit)
            place += LogFrame.count
        }
        return isSure ? (pages, size) : nil
    }
}
