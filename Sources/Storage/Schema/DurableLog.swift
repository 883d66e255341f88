import Sealing

/// Makes the log on disk the one that this process sees, before SQLite opens it.
///
/// After a sync that failed the kernel may show frames that it has dropped and never writes again; a
/// process that starts then takes them for stored. Its checkpoint would move them to the file, and a
/// power cut before the log is emptied would leave a log that ends earlier than the file, and lays
/// older pages over newer ones. So a log that was left behind is written anew and synced. That must
/// not cost what is on disk already, should the power go in the midst: a copy is on disk before.
struct DurableLog {
    let directory: DataDirectory

    /// SQLite's file format, 4.1 and 4.2 (https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
    private enum Log {
        static let header = 32
        static let frameHeader = 24
        static let frame = frameHeader + Connection.pageSize
        /// Where the log's header has the salts that each of its frames repeats from 8 on.
        static let salts = 16..<24
    }

    /// For the process that holds the directory's lock, while no connection is open.
    func ensure() throws(StorageError) {
        if try FileSystem.status(of: directory.logCopy) != nil {
            let wasWritten = try bringBack()
            try LayerFile.remove(directory.logCopy)
            if wasWritten { return }
        }
        guard try hasLog() else { return }
        let log = try LayerFile(log: directory.log, makes: false)
        let end = try Self.end(of: log)
        if end == 0 { return }
        do throws(StorageError) {
            try writeCopy(of: log, end: end)
        } catch {
            // The room may be what is missing.
            try? LayerFile.remove(directory.logCopy)
            throw error
        }
        try Self.copy(log, to: log, end: end)
        try LayerFile.remove(directory.logCopy)
    }

    private func hasLog() throws(StorageError) -> Bool {
        try FileSystem.status(of: directory.log).map { $0.st_size > 0 } ?? false
    }

    /// Where the frames end that belong to the log's header: behind them stand those of earlier turns.
    private static func end(of log: borrowing LayerFile) throws(StorageError) -> Int {
        var header = [UInt8](repeating: 0, count: Log.header)
        guard try log.read(into: &header, at: 0) else { return 0 }
        var frame = [UInt8](repeating: 0, count: Log.frameHeader)
        var end = Log.header
        let length = try log.length()
        while length - end >= Log.frame, try log.read(into: &frame, at: end),
            frame[8..<16] == header[Log.salts]
        {
            end += Log.frame
        }
        return end
    }

    /// The copy: the log, and the SHA-256 of it, which says that the copy is whole.
    private func writeCopy(of log: borrowing LayerFile, end: Int) throws(StorageError) {
        let copy = try LayerFile(log: directory.logCopy, makes: true)
        var sum = SHA256Stream()
        try Self.read(log, end: end) { (octets, place) throws(StorageError) in
            octets.withUnsafeBytes { sum.add($0) }
            try copy.write(octets, at: place)
        }
        try copy.write(sum.digest.bytes[...], at: end)
        try copy.sync()
    }

    /// Writes the log as a whole copy has it: the power went, or the process, while it was written anew.
    /// - Returns: false where the copy is not whole, or of a log that is gone
    private func bringBack() throws(StorageError) -> Bool {
        guard try hasLog() else { return false }
        let copy = try LayerFile(log: directory.logCopy, makes: false)
        let log = try LayerFile(log: directory.log, makes: false)
        let end = try copy.length() - Digest256.count
        guard end >= Log.header, try Self.isWhole(copy, end: end), try Self.isLog(log, of: copy)
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
        var header = [UInt8](repeating: 0, count: Log.header)
        var copied = header
        guard try log.read(into: &header, at: 0), try copy.read(into: &copied, at: 0) else {
            return false
        }
        return header == copied || !isSound(header)
    }

    /// Whether a log's header has the checksum of its first 24 octets.
    private static func isSound(_ header: [UInt8]) -> Bool {
        func word(_ place: Int, isBig: Bool) -> UInt32 {
            let octets = header[place..<place + 4]
            return (isBig ? Array(octets) : octets.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
        }
        // The last bit of the magic number says in which order the summed words are read.
        let isBig = word(0, isBig: true) & 1 == 1
        var first: UInt32 = 0
        var second: UInt32 = 0
        for place in stride(from: 0, to: 24, by: 8) {
            first &+= word(place, isBig: isBig) &+ second
            second &+= word(place + 4, isBig: isBig) &+ first
        }
        return first == word(24, isBig: true) && second == word(28, isBig: true)
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
            guard try file.read(count, into: &octets, at: place) else { return }
            try body(octets[..<count], place)
            place += count
        }
    }
}
