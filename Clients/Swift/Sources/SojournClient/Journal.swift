import Core

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The folder of an installation: segments of events, and the ledger that accounts for them. Used on the
/// client's queue only. Several processes may have one folder: each appends to a segment of its own, and
/// a step holds the folder's lock and reads what another has made of the ledger.
///
/// docs/decisions/0050-client-journal.md says what each crash leaves.
final class Journal {
    let folder: String
    /// Bytes of lines that wait and are not frozen.
    let limit: Int
    /// The resource of what this process records, as JSON.
    private let resource: [UInt8]
    var ledger: Ledger
    /// Those with something that waits or is pinned, and the current one; in order.
    var segments: [Segment] = []
    /// The segment that is appended to.
    var current: (number: Int64, file: Int32)?
    /// Segments that this process has recorded: its own clock has made their times.
    private(set) var owned: Set<Int64> = []
    /// The highest number of a segment that this process has seen.
    private var highest: Int64 = 0
    /// Events that could not be written, to be told by the next line that can.
    var unwritten: Int64 = 0

    private var ledgerPath: String { folder + "/ledger" }
    /// Bytes of a segment, after which another is begun.
    var segmentSize: Int { min(max(limit / 8, 16_384), 131_072) }

    /// Opens a folder, made if it is not there, and reads what is in it.
    init(folder: String, limit: Int, resource: [UInt8]) throws(FileFailure) {
        self.folder = folder
        self.limit = limit
        self.resource = resource
        ledger = Ledger(installation: RandomID.make())
        try Files.makeFolder(folder)
        let lock = try lockFolder()
        defer { close(lock) }
        let text = try Files.content(ledgerPath)
        if let text, let found = Ledger(text: text) {
            ledger = found
            try scan()
        } else {
            try begin()
        }
        try checkFrozen()
    }

    deinit { if let current { close(current.file) } }

    private func lockFolder() throws(FileFailure) -> Int32 {
        let file = try Files.read(folder)
        do throws(FileFailure) {
            try Files.lock(file, isWaiting: true)
        } catch {
            close(file)
            throw error
        }
        return file
    }

    private func path(_ number: Int64) -> String { folder + "/" + Segment.name(number) }

    /// The numbers of all segments that the folder has.
    private func numbers() throws(FileFailure) -> [Int64] {
        try Files.names(folder).compactMap(Segment.number).sorted()
    }

    // MARK: Reading

    /// A first ledger. Where there was one that cannot be read, what waits beside it may have been sent:
    /// it is dropped and counted.
    private func begin() throws(FileFailure) {
        let numbers = try numbers()
        var next = Ledger(installation: RandomID.make())
        for number in numbers {
            guard let bytes = try Files.content(path(number)) else { continue }
            var segment = Segment(number: number, path: path(number), size: 0)
            segment.count(bytes, from: Segment.resource(of: bytes)?.end ?? 0)
            next.lose(segment.waiting.events + segment.waiting.drops)
        }
        next.floor = (numbers.last ?? 0) + 1
        try write(next)
        highest = numbers.last ?? 0
        for number in numbers { _ = Files.remove(path(number)) }
    }

    /// Reads all segments anew, as the ledger has them.
    private func scan() throws(FileFailure) {
        segments = []
        var unreadable: [(Int64, Int, Int64)] = []
        for number in try numbers() {
            guard number >= ledger.floor else {
                _ = Files.remove(path(number))
                continue
            }
            var segment = Segment(number: number, path: path(number), size: 0)
            guard let file = try? Files.read(segment.path) else {
                // Not readable now; it may be at the next start.
                segment.isForeign = true
                segments.append(segment)
                continue
            }
            defer { close(file) }
            if number != current?.number {
                segment.isForeign = (try? Files.lock(file, isWaiting: false)) == nil
            }
            if !segment.isForeign {
                let bytes = try Files.content(of: file)
                let header = Segment.resource(of: bytes)
                segment.count(bytes, from: ledger.cursor(of: number) ?? header?.end ?? 0)
                if header == nil, segment.waiting != Segment.Waiting() {
                    let lost = segment.waiting.events + segment.waiting.drops
                    unreadable.append((number, segment.size, lost))
                }
            }
            segments.append(segment)
        }
        highest = max(highest, segments.last?.number ?? 0)
        for id in waitingCompletions() { _ = ledger.complete(id) }
        guard !unreadable.isEmpty else { return removeUsed() }
        var next = ledger
        for (number, size, lost) in unreadable {
            next.lose(lost)
            next.skip(Cut(segment: number, upTo: size))
        }
        try write(next)
        for (number, _, _) in unreadable { recount(number) }
        removeUsed()
    }

    /// A frozen batch whose lines are not whole any more may be stored, and is never sent: dropped.
    private func checkFrozen() throws(FileFailure) {
        guard let frozen = ledger.frozen else { return }
        let bytes = try content(frozen.segment) ?? []
        let cut = Cut(frozen, bytes)
        if Int64(cut.events.count) == frozen.events, cut.end == frozen.range.upperBound,
            Segment.resource(of: bytes) != nil
        {
            return
        }
        var next = ledger
        next.refuse()
        try write(next)
        removeUsed()
    }

    /// The bytes of a segment; nil where it is gone.
    func content(_ number: Int64) throws(FileFailure) -> [UInt8]? {
        try Files.content(path(number))
    }

    /// Counts anew what waits in a segment.
    private func recount(_ number: Int64) {
        guard let index = segments.firstIndex(where: { $0.number == number }) else { return }
        let bytes = (try? content(number)) ?? nil
        let header = bytes.flatMap { Segment.resource(of: $0)?.end } ?? 0
        segments[index].count(bytes ?? [], from: ledger.cursor(of: number) ?? header)
    }

    // MARK: Steps

    /// One atomic step: what `change` makes of the ledger is on the disk when this returns, or nothing
    /// has changed.
    func step(
        _ change: (inout Ledger) throws(FileFailure) -> Void
    ) throws(FileFailure) {
        try Files.makeFolder(folder)
        let lock = try lockFolder()
        defer { close(lock) }
        try refresh()
        var next = ledger
        try change(&next)
        guard next != ledger else { return }
        let moved = next.cursors.filter { ledger.cursor(of: $0.segment) != $0.offset }
        try write(next)
        for cursor in moved { recount(cursor.segment) }
        if let current, current.number < ledger.floor { closeCurrent() }
        removeUsed()
    }

    /// Takes over what another process has made of the ledger, or makes up for a folder that was deleted.
    private func refresh() throws(FileFailure) {
        guard let text = try Files.content(ledgerPath), let found = Ledger(text: text) else {
            loseMissing()
            return try write(ledger)
        }
        guard found.serial != ledger.serial || found.installation != ledger.installation else {
            return
        }
        ledger = found
        if let current, current.number < found.floor { closeCurrent() }
        try scan()
    }

    /// Counts what was in segments that are gone.
    private func loseMissing() {
        for segment in segments where !Files.exists(segment.path) {
            if let current, current.number == segment.number { closeCurrent() }
            ledger.lose(segment.waiting.events + segment.waiting.drops)
            if ledger.frozen?.segment == segment.number { ledger.refuse() }
            if ledger.undone?.segment == segment.number { ledger.loseUndone() }
            ledger.floor = max(ledger.floor, segment.number + 1)
        }
        segments.removeAll { !Files.exists($0.path) }
    }

    /// The right to upload, which one process has at a time; nil where another has it. It is given back
    /// with `close`.
    func lockUploads() -> Int32? {
        guard let file = try? Files.lockFile(folder + "/uploads") else { return nil }
        if (try? Files.lock(file, isWaiting: false)) != nil { return file }
        close(file)
        return nil
    }

    private func write(_ changed: Ledger) throws(FileFailure) {
        var next = changed
        next.serial += 1
        let known = segments.map(\.number)
        next.floor = max(next.floor, known.min() ?? highest + 1)
        next.cursors.removeAll { cursor in
            cursor.segment < next.floor || !known.contains(cursor.segment)
        }
        try Files.replace(ledgerPath, with: next.text)
        ledger = next
    }

    /// Removes segments with nothing left in them. Those that cannot be removed are tried again later.
    func removeUsed() {
        segments.removeAll { segment in
            guard !segment.isForeign else { return false }
            if segment.number >= ledger.floor {
                guard segment.number != current?.number, !ledger.pins(segment.number),
                    segment.waiting == Segment.Waiting()
                else { return false }
            }
            return Files.remove(segment.path)
        }
    }

    // MARK: The current segment

    /// Begins another segment.
    func beginSegment() throws(FileFailure) {
        closeCurrent()
        try Files.makeFolder(folder)
        let lock = try lockFolder()
        defer { close(lock) }
        try refresh()
        let number = max(highest, try numbers().last ?? 0, ledger.highestSegment) + 1
        let file = try Files.create(path(number))
        var header: [UInt8] = []
        Line.append(resource, isEvent: false, to: &header)
        do throws(FileFailure) {
            try Files.lock(file, isWaiting: false)
            try Files.write(header, to: file)
        } catch {
            close(file)
            _ = Files.remove(path(number))
            throw error
        }
        current = (number, file)
        owned.insert(number)
        highest = number
        segments.append(Segment(number: number, path: path(number), size: header.count))
    }

    func closeCurrent() {
        if let current { close(current.file) }
        current = nil
    }

    /// What was appended is on the disk when this returns.
    func sync() throws(FileFailure) {
        if let current { try Files.sync(current.file) }
    }
}
