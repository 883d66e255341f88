import Glibc
import Sealing

/// Batches that wait to be delivered, one file each, in the order in which they were put in.
///
/// A batch is frozen: its bytes stay what they were when it was appended, whenever and however often
/// it is posted. It is removed only when the server has it. The files are the batches themselves, so
/// that a person can read them; a file's name has its position and the beginning of its SHA-256, by which
/// a damaged one is known. One process has the queue at a time.
package final class DeviceQueue {
    /// A batch in the queue.
    package struct Entry: Sendable, Equatable {
        /// Its position: the lowest is posted first.
        let number: UInt64
        /// The first 8 bytes of the file's SHA-256 in hex.
        let digest: String

        /// The name of its file.
        package var name: String {
            let digits = String(number)
            return String(repeating: "0", count: 20 - digits.count) + digits + "-" + digest
                + DeviceQueue.suffix
        }
    }

    /// Between two appended batches there is room for the parts of the first, should it be split.
    static let spacing: UInt64 = 1 << 20
    private static let suffix = ".batch"

    /// Where the files are.
    package let folder: String
    /// In order of `number`.
    package private(set) var entries: [Entry] = []
    private var last: UInt64 = 0
    private let lock: Int32

    /// Opens the queue in `folder`, which is made if it is not there. What a crash left half-written
    /// is removed: its acceptance was never reported.
    ///
    /// - Throws: `QueueFailure`, also when another process has the queue open.
    package init(folder: String) throws(QueueFailure) {
        try QueueFile.makeFolder(folder)
        self.folder = folder
        lock = try QueueFile.open("\(folder)/lock", O_RDWR | O_CREAT, action: "open")
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw QueueFailure(
                "open", folder, reason: "another process is using it; wait until it is done")
        }
        for name in try QueueFile.names(in: folder) {
            if name.hasSuffix(".tmp") { try QueueFile.remove("\(folder)/\(name)") }
            guard let entry = Self.entry(of: name) else { continue }
            entries.append(entry)
        }
        entries.sort(by: Self.precedes)
        last = entries.last.map { $0.number / Self.spacing * Self.spacing } ?? 0
    }

    deinit { close(lock) }

    /// Freezes a batch at the end of the queue. When this returns, it is on disk.
    @discardableResult
    package func append(_ text: [UInt8]) throws(QueueFailure) -> Entry {
        let entry = Entry(number: last + Self.spacing, digest: Self.digest(of: text))
        try QueueFile.write(text, as: entry.name, in: folder)
        last = entry.number
        entries.append(entry)
        return entry
    }

    /// The bytes of a batch; nil if its file is not what was written. Such a file is set aside with
    /// `.damaged` after its name, for a person to look at, and is no longer part of the queue.
    package func text(of entry: Entry) throws(QueueFailure) -> [UInt8]? {
        let path = "\(folder)/\(entry.name)"
        let text = try QueueFile.read(path)
        guard Self.digest(of: text) != entry.digest else { return text }
        try QueueFile.rename(path, path + ".damaged")
        entries.removeAll { $0 == entry }
        return nil
    }

    /// Forgets a batch. Its folder is not synced: a batch that comes back after a power cut is posted
    /// again and answered as a repeat.
    package func remove(_ entry: Entry) throws(QueueFailure) {
        try QueueFile.remove("\(folder)/\(entry.name)")
        entries.removeAll { $0 == entry }
    }

    /// Replaces a batch with its parts. A crash on the way leaves the batch beside parts of it,
    /// to be split again: the same parts come twice then, and the server knows them as repeats.
    ///
    /// - Returns: false if it has been split so often that no position is left between it and the next
    func replace(
        _ entry: Entry, with first: [UInt8], and second: [UInt8]
    ) throws(QueueFailure) -> Bool {
        let next = entries.first { $0.number > entry.number }?.number ?? last + Self.spacing
        let gap = next - entry.number
        guard gap >= 2 else { return false }
        let parts = [
            Entry(number: entry.number, digest: Self.digest(of: first)),
            Entry(number: entry.number + gap / 2, digest: Self.digest(of: second)),
        ]
        // The second before the first: until the batch is gone it holds both of them.
        try QueueFile.write(second, as: parts[1].name, in: folder)
        try QueueFile.write(first, as: parts[0].name, in: folder)
        try remove(entry)
        entries += parts
        entries.sort(by: Self.precedes)
        return true
    }

    private static func precedes(_ one: Entry, _ other: Entry) -> Bool {
        (one.number, one.digest) < (other.number, other.digest)
    }

    private static func digest(of text: [UInt8]) -> String {
        String(Hashing.sha256(text.span).hex.prefix(16))
    }

    private static func entry(of name: String) -> Entry? {
        guard name.hasSuffix(suffix) else { return nil }
        let parts = name.dropLast(suffix.count).split(
            separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 20, let number = UInt64(parts[0]),
            // Far from where another position would overflow.
            number < 1 << 62, parts[1].utf8.count == 16
        else { return nil }
        return Entry(number: number, digest: String(parts[1]))
    }
}

extension DeviceQueue {
    /// What became of a batch of the queue.
    package enum Fate: Sendable, Equatable {
        /// Stored by the server, or dropped because it will never be: no longer in the queue.
        case gone(Delivery.Outcome)
        /// Replaced by two batches.
        case split(Delivery.Outcome)
        /// Still in the queue, with everything after it.
        case stays(Delivery.Outcome)
        /// Its file was not what had been written; set aside.
        case damaged
    }

    /// Batches below this are not made smaller for a slow network: a packet or two each way are the
    /// greater part of what they take.
    static let smallest = 16 << 10

    /// Posts what is in the queue, in order, until it is empty, the server wants to be left alone, or
    /// time is up. A batch that waits holds back those after it: order is kept.
    ///
    /// - Parameter each: Told of each batch.
    /// - Throws: `QueueFailure` when a file cannot be read or removed; the batch stays.
    package func drain(
        by delivery: Delivery, until deadline: Int64, each: (Entry, Fate) -> Void
    ) throws(QueueFailure) {
        while let entry = entries.first, !delivery.isPast(deadline) {
            guard let bytes = try text(of: entry) else {
                each(entry, .damaged)
                continue
            }
            let text = BatchText(bytes)
            let halves = bytes.count > Self.smallest ? text.halves() : nil
            let outcome = delivery.deliver(text, until: deadline, mayShrink: halves != nil)
            switch outcome.step {
            case .done, .drop:
                try remove(entry)
                each(entry, .gone(outcome))
            case .split:
                if try split(entry, text.halves()) {
                    each(entry, .split(outcome))
                } else {
                    // One event that is too large alone: nothing will ever take it.
                    try remove(entry)
                    each(entry, .gone(outcome))
                }
            case .retry(let wait, smaller: true):
                guard try split(entry, halves) else {
                    each(entry, .stays(outcome))
                    return
                }
                each(entry, .split(outcome))
                delivery.wait(wait)
            case .keep, .retry:
                each(entry, .stays(outcome))
                return
            }
        }
    }

    private func split(
        _ entry: Entry, _ halves: (first: [UInt8], second: [UInt8])?
    ) throws(QueueFailure) -> Bool {
        guard let halves else { return false }
        return try replace(entry, with: halves.first, and: halves.second)
    }
}

/// Why the queue on disk could not be used: what, with which file, and how it failed.
package struct QueueFailure: Error, Equatable, CustomStringConvertible {
    /// What was tried, as `open` or `write`.
    package let action: String
    /// The file or folder.
    package let path: String
    /// How it failed.
    package let reason: String

    /// One line to show.
    package var description: String { "cannot \(action) \(path): \(reason)" }

    init(_ action: String, _ path: String, reason: String) {
        self.action = action
        self.path = path
        self.reason = reason
    }

    /// With the system's text for `code`.
    init(_ action: String, _ path: String, errno code: Int32) {
        self.init(action, path, reason: String(cString: strerror(code)))
    }
}
