import Database
import Events
import Glibc
import Sealing
import Storage

/// The file `erased`: a line for each erasure, written and synced before anything is deleted.
package enum ErasureReceipts {
    /// All receipts of several files, each once, the oldest first. A file that is not there is empty;
    /// a last line that a crash cut off is left out: nothing was deleted by it.
    /// - Throws: `badReceipt` where a line is no receipt.
    package static func merged(_ paths: [String]) throws(StorageError) -> [ErasureReceipt] {
        var receipts: Set<ErasureReceipt> = []
        for path in paths { receipts.formUnion(try read(path).receipts) }
        return receipts.sorted { ($0.moment, $0.line) < ($1.moment, $1.line) }
    }

    /// The moment of the last receipt of a device, milliseconds since 1970; nil without one.
    static func last(of subject: Digest256, in path: String) throws(StorageError) -> Int64? {
        try read(path).receipts.filter { $0.subject == subject }.map(\.moment).max()
    }

    /// Writes a new file of them, 0600 and synced; its directory is not.
    /// - Throws: `alreadyThere`, or why it cannot be written.
    package static func write(
        _ receipts: [ErasureReceipt], to path: String
    ) throws(StorageError) {
        let file = try FileSystem.create(path)
        try file.write(bytes(receipts))
        try file.sync()
    }

    /// Bytes of a file of these receipts.
    static func bytes(_ receipts: [ErasureReceipt]) -> [UInt8] {
        receipts.flatMap { Array("\($0.line)\n".utf8) }
    }

    /// The receipts after the first `offset` bytes, and the end of their complete lines. An empty line
    /// is ignored.
    static func read(
        _ path: String, from offset: Int64 = 0
    ) throws(StorageError) -> (receipts: [ErasureReceipt], end: Int64) {
        guard let status = try FileSystem.status(of: path), Int64(status.st_size) > offset else {
            return ([], offset)
        }
        let bytes = try FileSystem.open(path, O_RDONLY).read(limit: Int(status.st_size))
        let rest = bytes.dropFirst(Int(offset))
        guard let last = rest.lastIndex(of: UInt8(ascii: "\n")) else { return ([], offset) }
        var receipts: [ErasureReceipt] = []
        for line in rest[..<last].split(separator: UInt8(ascii: "\n")) {
            guard let receipt = ErasureReceipt(line: String(decoding: line, as: UTF8.self)) else {
                let before = bytes[..<line.startIndex].count { $0 == UInt8(ascii: "\n") }
                throw .badReceipt(path: path, line: before + 1)
            }
            receipts.append(receipt)
        }
        return (receipts, Int64(last) + 1)
    }

    /// Adds some, on disk when this returns. What a crash left of a line goes.
    /// - Returns: where their lines are in the file
    static func append(
        _ receipts: [ErasureReceipt], to path: String
    ) throws(StorageError) -> Range<Int64> {
        let isNew = try FileSystem.status(of: path) == nil
        let end = try read(path).end
        let lines = bytes(receipts)
        let file =
            isNew ? try FileSystem.create(path) : try FileSystem.open(path, O_RDWR | O_NOFOLLOW)
        try file.replace(lines, from: Int(end))
        try file.sync()
        if isNew { try FileSystem.syncDirectory(FileSystem.parent(of: path)) }
        return end..<end + Int64(lines.count)
    }
}

/// That a device was erased, and when: a line of the file `erased`. It reveals nothing about the device
/// without its hash, and identifies it in an older copy of the database
/// (docs/operation.md, One device).
package struct ErasureReceipt: Hashable, Sendable {
    /// SHA-256 over the app's name, a zero byte and the 16 bytes of the device's hash.
    package let subject: Digest256
    /// What arrived before is erased; milliseconds since 1970-01-01T00:00:00Z.
    package let moment: Int64

    /// A receipt in the form of a file's line.
    package init(subject: Digest256, moment: Int64) {
        self.subject = subject
        self.moment = moment
    }

    /// The receipt of an erasure.
    package init(app: String, device: DeviceHash, moment: Int64) {
        self.init(subject: Self.subject(app: app, device: device.bytes), moment: moment)
    }

    /// What a receipt calls the device with this hash.
    static func subject(app: String, device: [UInt8]) -> Digest256 {
        Hashing.sha256((Array(app.utf8) + [0] + device).span)
    }

    /// 64 lower-case hexadecimal digits, a space, the moment; nil where it is anything else.
    package init?(line: some StringProtocol) {
        let fields = line.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard fields.count == 2, fields[0].count == 64,
            let bytes = Hex.decode(Array(fields[0]).span),
            let subject = Digest256(bytes: bytes.span),
            let moment = Int64(String(decoding: fields[1], as: UTF8.self))
        else { return nil }
        self.init(subject: subject, moment: moment)
        guard self.line == String(line) else { return nil }
    }

    /// Its line, without the end of one.
    package var line: String { "\(subject.hex) \(moment)" }
}

/// Devices whose erasure has begun and not ended: what is left of them is no longer what was written.
enum UnfinishedErasures {
    /// Their row ids.
    static func devices(_ connection: Connection) throws(StorageError) -> Set<Int64> {
        let table = try connection.integer(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'erasing'")
        guard table != nil else { return [] }
        let rows = try connection.prepare("SELECT device FROM erasing")
        var devices: Set<Int64> = []
        while try rows.step() { devices.insert(rows.int(0)) }
        return devices
    }
}
