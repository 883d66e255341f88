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
        try merged(paths, atMost: .max) ?? []
    }

    /// The same; nil where there are more than some.
    static func merged(
        _ paths: [String], atMost limit: Int
    ) throws(StorageError) -> [ErasureReceipt]? {
        var receipts: Set<ErasureReceipt> = []
        for path in paths {
            _ = try forEach(in: path, from: 0) { receipt in
                if receipts.count <= limit { receipts.insert(receipt) }
            }
        }
        return receipts.count > limit ? nil : receipts.sorted(by: isEarlier)
    }

    /// Of one moment they are in the order of their lines.
    private static func isEarlier(_ one: ErasureReceipt, than other: ErasureReceipt) -> Bool {
        let (left, right) = (one.subject.words, other.subject.words)
        return (one.moment, left.0, left.1, left.2, left.3)
            < (other.moment, right.0, right.1, right.2, right.3)
    }

    /// The moment of the last receipt of a device, milliseconds since 1970; nil without one.
    static func last(of subject: Digest256, in path: String) throws(StorageError) -> Int64? {
        var last: Int64?
        _ = try forEach(in: path, from: 0) { receipt in
            if receipt.subject == subject { last = max(last ?? .min, receipt.moment) }
        }
        return last
    }

    /// Writes a new file of them, 0600 and synced; its directory is not.
    /// - Throws: `alreadyThere`, or why it cannot be written.
    package static func write(
        _ receipts: [ErasureReceipt], to path: String
    ) throws(StorageError) {
        let file = try FileSystem.create(path)
        var position = 0
        var rest = receipts[...]
        while !rest.isEmpty {
            let piece = bytes(rest.prefix(receiptsAtOnce))
            rest = rest.dropFirst(receiptsAtOnce)
            try file.write(piece[...], at: position)
            position += piece.count
        }
        try file.sync()
    }

    /// How many are written at once.
    private static let receiptsAtOnce = 4_096

    /// Bytes of a file of these receipts.
    static func bytes(_ receipts: some Sequence<ErasureReceipt>) -> [UInt8] {
        var bytes: [UInt8] = []
        for receipt in receipts {
            bytes += receipt.line.utf8
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// How many bytes those are.
    static func byteCount(_ receipts: some Sequence<ErasureReceipt>) -> Int64 {
        receipts.reduce(0) { $0 + Int64($1.line.utf8.count) + 1 }
    }

    /// The receipts after the first `offset` bytes, and the end of their complete lines. An empty line
    /// is ignored.
    static func read(
        _ path: String, from offset: Int64 = 0
    ) throws(StorageError) -> (receipts: [ErasureReceipt], end: Int64) {
        var receipts: [ErasureReceipt] = []
        let end = try forEach(in: path, from: offset) { receipts.append($0) }
        return (receipts, end)
    }

    /// Calls `take` with each receipt after the first `offset` bytes.
    /// - Returns: the end of their complete lines
    private static func forEach(
        in path: String, from offset: Int64, _ take: (ErasureReceipt) -> Void
    ) throws(StorageError) -> Int64 {
        guard let status = try FileSystem.status(of: path) else { return offset }
        try requireRegular(status, path)
        guard Int64(status.st_size) > offset else { return offset }
        return try lines(of: path, from: offset) { (line, start) throws(StorageError) in
            if line.isEmpty { return }
            guard let receipt = ErasureReceipt(line: String(decoding: line, as: UTF8.self)) else {
                let number = try Self.number(ofLineAt: start, in: path)
                throw .badReceipt(path: path, line: number)
            }
            take(receipt)
        }.end
    }

    /// Nobody can name another file for it.
    private static func requireRegular(_ status: stat, _ path: String) throws(StorageError) {
        let kind = FileKind(status)
        guard kind == .regular else { throw .receiptsNotRegular(path: path, kind: kind) }
    }

    /// Bytes of the longest receipt, and one more.
    private static let maxLineBytes = 64 + 1 + 20 + 1

    /// Calls `take` with each complete line of a file, without its end, and where it begins. Of a line that is longer
    /// than any receipt it gets the first bytes alone, so that memory does not grow with the file.
    /// - Returns: where the last complete line ends, and how what follows it begins
    static func lines(
        of path: String, from offset: Int64,
        _ take: (_ line: [UInt8], _ start: Int64) throws(StorageError) -> Void
    ) throws(StorageError) -> (end: Int64, tail: [UInt8]) {
        if let status = try FileSystem.status(of: path) { try requireRegular(status, path) }
        let file = try FileSystem.openRegular(path)
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        var position = Int(offset)
        var end = position
        var line: [UInt8] = []
        while true {
            let count = try file.read(into: &piece, at: position)
            var rest = piece[..<count]
            while let feed = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<feed].prefix(maxLineBytes - line.count)
                try take(line, Int64(end))
                line.removeAll(keepingCapacity: true)
                end = position + feed + 1
                rest = rest[(feed + 1)...]
            }
            line += rest.prefix(maxLineBytes - line.count)
            if count < piece.count { return (Int64(end), line) }
            position += count
        }
    }

    /// The number, from 1, of the line that begins at a byte.
    private static func number(
        ofLineAt start: Int64, in path: String
    ) throws(StorageError) -> Int {
        var number = 1
        _ = try lines(of: path, from: 0) { (_, other) throws(StorageError) in
            if other < start { number += 1 }
        }
        return number
    }

    /// Adds some, on disk when this returns. What a crash left of a line goes.
    /// - Returns: where their lines are in the file
    static func append(
        _ receipts: [ErasureReceipt], to path: String
    ) throws(StorageError) -> Range<Int64> {
        let isNew = try FileSystem.status(of: path) == nil
        let end = try forEach(in: path, from: 0) { _ in }
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

    /// These, and devices that stay while some of their batches go: what such a device's row says may be of a batch that
    /// is gone already.
    static func devicesInPart(_ connection: Connection) throws(StorageError) -> Set<Int64> {
        try devices(connection).union(DeviceSplit.devices(connection))
    }
}
