import Database
import Sealing

/// Makes sure that the WAL on disk is the one that this process sees, before SQLite opens it.
///
/// After a sync that failed the kernel may show frames that it has dropped and never writes again; a
/// process that starts then takes them for stored. Its checkpoint would copy them to the file, and a
/// power cut before the WAL is emptied would leave a WAL that is older than the file, and puts
/// older pages over newer ones. So a WAL that is found at the start is rewritten and synced. That must
/// not lose what is on disk already if the power fails meanwhile: a copy is on disk first.
package struct DurableWAL {
    /// Paths of the database, of its WAL, and of the copy of the WAL that is kept while that is
    /// rewritten.
    private let database, path, copyPath: String

    /// - Parameters:
    ///   - database: the database's path
    ///   - wal: the WAL's path
    ///   - copy: the path of the copy that is kept while the WAL is rewritten
    package init(database: String, wal: String, copy: String) {
        self.database = database
        path = wal
        copyPath = copy
    }

    /// To be called by the process that holds the directory's lock, while it has no connection open.
    /// - Throws: `damaged` where the WAL hides stored transactions; then it is left as it is
    package func ensure() throws(StorageError) {
        guard try hasWAL() else { return try removeCopy() }
        let wal = try LayerFile(wal: path, makes: false)
        let isRestored = try restore(wal)
        try check(wal)
        if isRestored { return try removeCopy() }
        let end = try WALFrames.walk(wal)
        if end > 0 {
            do throws(StorageError) {
                try writeCopy(of: wal, end: end)
            } catch {
                // The copy may be what fills the disk.
                try removeCopy()
                // Go on without a copy: the bytes written are those already there, so only a disk
                // that corrupts what it was just writing can harm them.
                guard error.kind == .storageFull else { throw error }
            }
            try Self.copy(wal, to: wal, end: end)
        }
        try removeCopy()
    }

    private func check(_ wal: borrowing LayerFile) throws(StorageError) {
        var file: Connection?
        let fault = try WALCheck.run(wal) { (number, page) throws(StorageError) in
            if let file { return try file.readPage(number, into: &page) }
            let opened = try Connection(path: database, mode: .read, cacheBytes: 0)
            file = opened
            return try opened.readPage(number, into: &page)
        }
        // The error names the database: moving the WAL alone away would lose what it holds.
        if let fault {
            throw .damaged(
                path: database, found: fault.found(" of its log \(path)"))
        }
    }

    private func hasWAL() throws(StorageError) -> Bool {
        try FileSystem.status(of: path).map { $0.st_size > 0 } ?? false
    }

    private func removeCopy() throws(StorageError) {
        guard try FileSystem.status(of: copyPath) != nil else { return }
        try LayerFile.remove(copyPath)
    }

    /// The copy is the WAL and its SHA-256, which proves the copy complete.
    private func writeCopy(of wal: borrowing LayerFile, end: Int) throws(StorageError) {
        try removeCopy()
        let copy = try LayerFile(wal: copyPath, makes: true)
        var sum = SHA256Stream()
        try Self.read(wal, end: end) { (bytes, offset) throws(StorageError) in
            bytes.withUnsafeBytes { sum.add($0) }
            try copy.write(bytes, at: offset)
        }
        try copy.write(sum.digest.bytes[...], at: end)
        try copy.sync()
        try FileSystem.syncDirectory(FileSystem.parent(of: copyPath))
    }

    /// Restores the WAL from a complete copy: the power failed while the WAL was rewritten.
    /// - Returns: false where there is nothing to restore
    private func restore(_ wal: borrowing LayerFile) throws(StorageError) -> Bool {
        guard try FileSystem.status(of: copyPath) != nil else { return false }
        let copy = try LayerFile(wal: copyPath, makes: false)
        let end = try copy.length() - Digest256.count
        guard end >= WALHeader.count, try Self.isWhole(copy, end: end),
            try Self.isWAL(wal, of: copy),
            // If they are the same, nothing was harmed, and the copy of a killed process may not be on
            // disk.
            try !Self.isSame(wal, copy, end: end)
        else { return false }
        try Self.copy(copy, to: wal, end: end)
        return true
    }

    private static func isWhole(
        _ copy: borrowing LayerFile, end: Int
    ) throws(StorageError) -> Bool {
        var sum = SHA256Stream()
        try read(copy, end: end) { (bytes, _) throws(StorageError) in
            bytes.withUnsafeBytes { sum.add($0) }
        }
        var stored = [UInt8](repeating: 0, count: Digest256.count)
        return try copy.read(into: &stored, at: end) && stored == sum.digest.bytes
    }

    /// Whether the WAL is still the one that was copied: its header is the same, or corrupt.
    private static func isWAL(
        _ wal: borrowing LayerFile, of copy: borrowing LayerFile
    ) throws(StorageError) -> Bool {
        guard let header = try WALHeader(of: wal), header.isSound else { return true }
        return try header == WALHeader(of: copy)
    }

    private static func isSame(
        _ wal: borrowing LayerFile, _ copy: borrowing LayerFile, end: Int
    ) throws(StorageError) -> Bool {
        var isSame = try wal.length() >= end
        var other = [UInt8](repeating: 0, count: LayerFile.maxBytes)
        try read(copy, end: end) { (bytes, offset) throws(StorageError) in
            guard isSame else { return }
            isSame =
                try wal.read(bytes.count, into: &other, at: offset)
                && bytes == other[..<bytes.count]
        }
        return isSame
    }

    private static func copy(
        _ source: borrowing LayerFile, to wal: borrowing LayerFile, end: Int
    ) throws(StorageError) {
        try read(source, end: end) { (bytes, offset) throws(StorageError) in
            try wal.write(bytes, at: offset)
        }
        try wal.sync()
    }

    /// Reads the first `end` bytes; `body` gets each piece and its offset.
    private static func read(
        _ file: borrowing LayerFile, end: Int,
        _ body: (ArraySlice<UInt8>, Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        var bytes = [UInt8](repeating: 0, count: min(LayerFile.maxBytes, end))
        var offset = 0
        while offset < end {
            let count = min(bytes.count, end - offset)
            guard try file.read(count, into: &bytes, at: offset) else { throw file.cutShort }
            try body(bytes[..<count], offset)
            offset += count
        }
    }
}
