import Database
import Sealing

/// Makes the log on disk the one that this process sees, before SQLite opens it.
///
/// After a sync that failed the kernel may show frames that it has dropped and never writes again; a
/// process that starts then takes them for stored. Its checkpoint would move them to the file, and a
/// power cut before the log is emptied would leave a log that ends earlier than the file, and lays
/// older pages over newer ones. So a log that was left behind is written anew and synced. That must
/// not cost what is on disk already, should the power go in the midst: a copy is on disk before.
package struct DurableLog {
    /// Paths of the database, of its WAL, and of the copy that stands beside the WAL while that is rewritten.
    private let database, path, copyPath: String

    /// - Parameters:
    ///   - database: the file's path
    ///   - log: its log's
    ///   - copy: of the copy that is kept while the log is rewritten
    package init(database: String, log: String, copy: String) {
        self.database = database
        path = log
        copyPath = copy
    }

    /// For the process that holds the directory's lock, while it has no connection open.
    /// - Throws: `damaged` where the log hides what was stored; then it is left as it is.
    package func ensure() throws(StorageError) {
        guard try hasLog() else { return try removeCopy() }
        let log = try LayerFile(log: path, makes: false)
        let isBroughtBack = try bringBack(log)
        try check(log)
        if isBroughtBack { return try removeCopy() }
        let end = try LogFrames.walk(log)
        if end > 0 {
            do throws(StorageError) {
                try writeCopy(of: log, end: end)
            } catch {
                // The room may be what is missing.
                try removeCopy()
                // Then without: the octets that are written are those that are there, and only a disk
                // that spoils what it was just writing harms them.
                guard error.kind == .storageFull else { throw error }
            }
            try Self.copy(log, to: log, end: end)
        }
        try removeCopy()
    }

    private func check(_ log: borrowing LayerFile) throws(StorageError) {
        var file: Connection?
        let fault = try LogCheck.run(log) { (number, page) throws(StorageError) in
            if let file { return try file.readPage(number, into: &page) }
            let opened = try Connection(path: database, mode: .read, cacheBytes: 0)
            file = opened
            return try opened.readPage(number, into: &page)
        }
        // Named by the database: a log that alone is moved away takes what it has with it.
        if let fault {
            throw .damaged(
                path: database, found: fault.found(" of its log \(path)"))
        }
    }

    private func hasLog() throws(StorageError) -> Bool {
        try FileSystem.status(of: path).map { $0.st_size > 0 } ?? false
    }

    private func removeCopy() throws(StorageError) {
        guard try FileSystem.status(of: copyPath) != nil else { return }
        try LayerFile.remove(copyPath)
    }

    /// The copy: the log, and the SHA-256 of it, which says that the copy is whole.
    private func writeCopy(of log: borrowing LayerFile, end: Int) throws(StorageError) {
        try removeCopy()
        let copy = try LayerFile(log: copyPath, makes: true)
        var sum = SHA256Stream()
        try Self.read(log, end: end) { (octets, place) throws(StorageError) in
            octets.withUnsafeBytes { sum.add($0) }
            try copy.write(octets, at: place)
        }
        try copy.write(sum.digest.bytes[...], at: end)
        try copy.sync()
        try FileSystem.syncDirectory(FileSystem.parent(of: copyPath))
    }

    /// Writes the log as a whole copy has it: the power went while it was written anew.
    /// - Returns: false where there is nothing to bring back
    private func bringBack(_ log: borrowing LayerFile) throws(StorageError) -> Bool {
        guard try FileSystem.status(of: copyPath) != nil else { return false }
        let copy = try LayerFile(log: copyPath, makes: false)
        let end = try copy.length() - Digest256.count
        guard end >= LogHeader.count, try Self.isWhole(copy, end: end),
            try Self.isLog(log, of: copy),
            // One that was not harmed: then the copy of a process that was killed may itself not be on disk.
            try !Self.isSame(log, copy, end: end)
        else { return false }
        try Self.copy(copy, to: log, end: end)
        return true
    }

    private static func isWhole(
        _ copy: borrowing LayerFile, end: Int
    ) throws(StorageError) -> Bool {
        var sum = SHA256Stream()
        try read(copy, end: end) { (octets, _) throws(StorageError) in
            octets.withUnsafeBytes { sum.add($0) }
        }
        var stored = [UInt8](repeating: 0, count: Digest256.count)
        return try copy.read(into: &stored, at: end) && stored == sum.digest.bytes
    }

    /// Whether the log is still the one that was copied: its header is the same, or spoilt.
    private static func isLog(
        _ log: borrowing LayerFile, of copy: borrowing LayerFile
    ) throws(StorageError) -> Bool {
        guard let header = try LogHeader(of: log), header.isSound else { return true }
        return try header == LogHeader(of: copy)
    }

    private static func isSame(
        _ log: borrowing LayerFile, _ copy: borrowing LayerFile, end: Int
    ) throws(StorageError) -> Bool {
        var isSame = try log.length() >= end
        var other = [UInt8](repeating: 0, count: LayerFile.most)
        try read(copy, end: end) { (octets, place) throws(StorageError) in
            guard isSame else { return }
            isSame =
                try log.read(octets.count, into: &other, at: place)
                && octets == other[..<octets.count]
        }
        return isSame
    }

    private static func copy(
        _ source: borrowing LayerFile, to log: borrowing LayerFile, end: Int
    ) throws(StorageError) {
        try read(source, end: end) { (octets, place) throws(StorageError) in
            try log.write(octets, at: place)
        }
        try log.sync()
    }

    /// The first `end` octets, piece by piece, and where each piece begins.
    private static func read(
        _ file: borrowing LayerFile, end: Int,
        _ body: (ArraySlice<UInt8>, Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        var octets = [UInt8](repeating: 0, count: min(LayerFile.most, end))
        var place = 0
        while place < end {
            let count = min(octets.count, end - place)
            guard try file.read(count, into: &octets, at: place) else { throw file.cutShort }
            try body(octets[..<count], place)
            place += count
        }
    }
}
