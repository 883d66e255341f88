import Columns
import Database
import Storage

/// Which of the first completions of a range have an earlier one before it, so that they are not the first: one
/// bit for each. Completions of days before the range are remembered (`KnownCompletions`): only segments that
/// are new are read.
struct EarlierCompletions: ReportShare {
    private var bits: [UInt64]

    /// How many known segments a thread looks at, one after the other.
    private static let stride = 64

    private init(of count: Int) { bits = [UInt64](repeating: 0, count: (count + 63) / 64) }

    /// Whether there is an earlier one than one of the first completions, by its index.
    func contains(_ index: Int) -> Bool { bits[index >> 6] >> UInt64(index & 63) & 1 == 1 }

    mutating func merge(_ other: EarlierCompletions) {
        for word in bits.indices { bits[word] |= other.bits[word] }
    }

    private mutating func insert(_ index: Int) { bits[index >> 6] |= 1 << UInt64(index & 63) }

    /// What all threads look for.
    private struct Wanted: Sendable {
        let name: ByteText
        let firsts: FirstCompletions
        let codes: TextCodes
        /// Those of `firsts`.
        var devices = RowSet()
    }

    /// Throws what the database throws.
    /// - Parameters:
    ///   - name: of completions
    ///   - firsts: the first completions of the range
    ///   - codes: the numbers of their contents
    ///   - start: when the range begins
    static func find(
        _ name: ByteText, _ firsts: FirstCompletions, _ codes: TextCodes, _ scope: QueryScope,
        before start: Int64, _ reading: Reading
    ) throws(StorageError) -> EarlierCompletions {
        var all = EarlierCompletions(of: firsts.count)
        if firsts.count == 0 { return all }
        var wanted = Wanted(name: name, firsts: firsts, codes: codes)
        for index in 0..<firsts.count { wanted.devices.insert(firsts.device(index)) }
        let room = HeldBytes(
            reading.account,
            (firsts.count / 8 + 8) * (reading.threads + 1) + wanted.devices.allocatedBytes)
        defer { withExtendedLifetime(room) {} }
        // What is known of a segment is all of its day.
        let always = EventList.always.lowerBound
        let midnight = max(Segment.day(of: start) &* Segment.dayLength, always)
        try all.merge(days(wanted, scope, always..<midnight, reading))
        if midnight < start { try all.merge(events(wanted, scope, midnight..<start, reading)) }
        return all
    }

    /// Of whole days.
    private static func days(
        _ wanted: Wanted, _ scope: QueryScope, _ days: Range<Int64>, _ reading: Reading
    ) throws(StorageError) -> EarlierCompletions {
        if days.isEmpty { return EarlierCompletions(of: wanted.firsts.count) }
        let cache = reading.environment.completions
        let known = cache.known(try reading.storedSegments(of: scope.app.id, days))
        var all = try find(wanted, in: known, reading)
        let row = try EventNames.row(of: wanted.name, reading)
        let list = try reading.segmentList(of: scope.app.id, days) { known.segments[$0] != nil }
        if list.count == 0 { return all }
        let new = try reading.inParallel { () throws(StorageError) in
            var earlier = EarlierCompletions(of: wanted.firsts.count)
            var reader = CompletionReader(list, row)
            while try reader.next() {
                reader.keep(in: cache)
                earlier.insert(reader, wanted)
            }
            return earlier
        }
        all.merge(new)
        return all
    }

    private mutating func insert(_ reader: borrowing CompletionReader, _ wanted: Wanted) {
        var numbers = [Int?](repeating: nil, count: reader.subjectCount)
        for (device, subject) in zip(reader.devices, reader.subjects)
        where wanted.devices.contains(device) {
            if numbers[subject] == nil {
                let text = reader.text(subject)
                numbers[subject] = wanted.codes.known(scalar: text.span) ?? -1
            }
            guard let number = numbers[subject] else { continue }
            if let index = wanted.firsts.index(device, number) { insert(index) }
        }
    }

    private static func find(
        _ wanted: Wanted, in known: KnownCompletions.Known, _ reading: Reading
    ) throws(StorageError) -> EarlierCompletions {
        let none = EarlierCompletions(of: wanted.firsts.count)
        if known.segments.isEmpty { return none }
        var numbers = [Int32](repeating: -1, count: known.texts.count)
        for code in 0..<wanted.codes.count {
            guard let text = known.texts.known(code, of: wanted.codes) else { continue }
            numbers[text] = Int32(truncatingIfNeeded: code)
        }
        let room = HeldBytes(reading.account, numbers.allocatedBytes)
        defer { withExtendedLifetime(room) {} }
        let (segments, contents) = (Array(known.segments.values), numbers)
        let count = (segments.count + stride - 1) / stride
        return try reading.inParallel(count, none) { (earlier, index) throws(StorageError) in
            for segment in segments.dropFirst(index * stride).prefix(stride) {
                for at in segment.devices.indices {
                    let device = Int64(segment.devices[at])
                    guard wanted.devices.contains(device) else { continue }
                    let content = Int(contents[Int(segment.contents[at])])
                    if let found = wanted.firsts.index(device, content) { earlier.insert(found) }
                }
            }
        }
    }

    /// Of a part of a day.
    private static func events(
        _ wanted: Wanted, _ scope: QueryScope, _ window: Range<Int64>, _ reading: Reading
    ) throws(StorageError) -> EarlierCompletions {
        let list = try EventList(
            scope, names: [wanted.name], times: false, subjects: true, window: window, reading)
        return try reading.inParallel { () throws(StorageError) in
            var earlier = EarlierCompletions(of: wanted.firsts.count)
            var scan = EventScan(list)
            while try scan.next(of: { wanted.devices.contains($0) }) {
                let unknown = wanted.codes.count
                guard
                    let content = scan.subjectCode({ wanted.codes.known(scalar: $0) ?? unknown }),
                    let index = wanted.firsts.index(scan.device, content)
                else { continue }
                earlier.insert(index)
            }
            return earlier
        }
    }
}
