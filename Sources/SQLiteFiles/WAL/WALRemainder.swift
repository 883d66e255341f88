import Database

/// The frames of a WAL whose header SQLite does not accept.
///
/// A power cut may leave such a header too, while a writer restarts the WAL. Then all of it had been
/// moved to the file, so the two are compared.
enum WALRemainder {
    /// Whether there are pages of transactions that were on disk but are not in the file.
    static func hidesPages(
        _ wal: borrowing LayerFile,
        _ readPage: (Int, inout [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        // Only the header has the byte order of the checksums.
        for isBig in [false, true] {
            if try hidesPages(wal, isBig: isBig, readPage) { return true }
        }
        return false
    }

    private static func hidesPages(
        _ wal: borrowing LayerFile, isBig: Bool,
        _ readPage: (Int, inout [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        guard let (pages, size) = try pages(wal, isBig: isBig) else { return false }
        var frame = WALFrame()
        var page = [UInt8](repeating: 0, count: Connection.pageSize)
        for (number, offset) in pages where number <= size {
            guard try frame.read(wal, at: offset) else { return false }
            if try !readPage(number, &page) || !frame.holds(page) { return true }
        }
        return false
    }

    /// The offset of each page's last frame, and how many pages the file should have. Nil where no
    /// transaction is certain to have been on disk.
    private static func pages(
        _ wal: borrowing LayerFile, isBig: Bool
    ) throws(StorageError) -> (pages: [Int: Int], size: Int)? {
        var frame = WALFrame()
        guard try frame.read(wal, at: WALHeader.count) else { return nil }
        let salts = Array(frame.salts)
        var pages: [Int: Int] = [:]
        var open: [Int: Int] = [:]
        var size = 0
        var isSure = false
        var before: (sum: WALChecksum, isCommit: Bool)?
        var offset = WALHeader.count
        while try frame.read(wal, at: offset), frame.salts == salts[...] {
            let stored = WALChecksum(isBig: isBig, stored: frame.stored)
            let fits = before.map { frame.sum(after: $0.sum) == stored } ?? true
            if fits, before?.isCommit == true { isSure = true }
            open[frame.page] = offset
            if fits, frame.isCommit {
                pages.merge(open) { $1 }
                open = [:]
                size = frame.size
            }
            before = (stored, frame.isCommit)
            offset += WALFrame.count
        }
        return isSure ? (pages, size) : nil
    }
}
