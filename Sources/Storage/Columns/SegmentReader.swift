/// Goes through a segment, part after part. A part's events are read only where they are asked for:
///
///     while reader.next() { … reader.device … reader.readTimes() … reader.times[0] … }
///     if reader.isBroken { throw … }
///
/// It keeps its memory from one segment to the next.
package struct SegmentReader: ~Copyable {
    /// Columns that are read besides the heads of parts.
    package struct Columns: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Sessions, and with them the times of events.
        package static let times = Columns(rawValue: 1)
        /// The names of events.
        package static let names = Columns(rawValue: 2)
        /// Subjects and amounts; needs the names.
        package static let subjects = Columns(rawValue: 4)
        static let all: Columns = [.times, .names, .subjects]
    }

    /// Events of a part that stand together, in order of time, since they are one session's; or since
    /// they are no session's.
    package struct Group {
        /// The places of its events in `times`.
        package let range: Range<Int>
        /// Hash of the session's id as a JSON string; nil where they have none.
        package let session: UInt64?
    }

    /// The segment's day, in days since 1970-01-01, UTC.
    package private(set) var day: Int64 = 0
    /// Counts the parts of the segment, from 0.
    package private(set) var number = -1
    /// Row of the part's batch, of its device and of its resource.
    package private(set) var batch: Int64 = 0
    package private(set) var device: Int64 = 0
    package private(set) var resource: Int64 = 0
    /// When the batch came, milliseconds since 1970-01-01T00:00:00Z.
    package private(set) var arrival: Int64 = 0
    /// How many events the part has.
    package private(set) var count = 0
    /// Times of its earliest and its latest event, milliseconds since 1970-01-01T00:00:00Z.
    package private(set) var first: Int64 = 0
    package private(set) var last: Int64 = 0

    /// Rows of the segment's names, by place.
    package private(set) var nameRows: [Int64] = []
    /// Whether events of the name have a subject, by place.
    package private(set) var nameHasSubject: [Bool] = []

    /// Filled by `readTimes`: of each event of the part; and its sessions.
    package private(set) var times: [Int64] = []
    package private(set) var groups: [Group] = []
    /// Filled by `readNames`: the place in `nameRows` of each event's name.
    package private(set) var names: [Int32] = []
    /// Filled by `readSubjects`: of each event whose name has one, in order, the number of its subject
    /// in the segment, 0 for none; and how far a counter went up, 1 for what is none.
    package private(set) var subjectCodes: [Int32] = []
    package private(set) var amounts: [Int64] = []

    private let columns: Columns
    private var dayStart: Int64 = 0
    private var partsLeft = 0
    private var kinds: [SubjectKind] = []
    private var subjectTexts: [Range<Int>] = []
    private var nameWidth: UInt64 = 0
    private var subjectWidth: UInt64 = 0
    private var groupCount = 0
    private var timeWidth: UInt64 = 0
    private var subjectCount = 0
    /// When each of the groups begins.
    private var starts: [Int64] = []
    private var timesRange = 0..<0
    private var namesRange = 0..<0
    private var subjectsRange = 0..<0
    private var amountsStart = 0
    private var hasReadSessions = true
    private var hasReadTimes = true
    private var heads = PackedReader()
    private var sessionsColumn = PackedReader()
    private var timesColumn = PackedReader()
    private var namesColumn = PackedReader()
    private var subjectsColumn = PackedReader()
    private var isWrong = false

    /// One that reads these columns.
    package init(_ columns: Columns) { self.columns = columns }

    /// Whether the segment is not what was written: then what was read may be wrong, and no more is.
    package var isBroken: Bool {
        isWrong || heads.isBroken || sessionsColumn.isBroken || timesColumn.isBroken
            || namesColumn.isBroken || subjectsColumn.isBroken
    }

    /// Columns of a segment, `PackedReader.padded`. Those that are not read may be empty.
    struct Packed {
        let day: Int64
        var parts: [UInt8] = []
        var sessions: [UInt8] = []
        var times: [UInt8] = []
        var names: [UInt8] = []
        var subjects: [UInt8] = []

        init(day: Int64) { self.day = day }

        init(_ segment: borrowing Segment) {
            day = segment.day
            parts = PackedReader.padded(segment.parts)
            sessions = PackedReader.padded(segment.sessions)
            times = PackedReader.padded(segment.times)
            names = PackedReader.padded(segment.names)
            subjects = PackedReader.padded(segment.subjects)
        }
    }

    /// Begins with a segment.
    mutating func begin(_ packed: Packed) {
        isWrong = false
        hasReadSessions = true
        day = packed.day
        dayStart = day &* Segment.dayLength
        heads.load(packed.parts)
        if columns.contains(.times) {
            sessionsColumn.load(packed.sessions)
            timesColumn.load(packed.times)
        }
        if columns.contains(.names) {
            namesColumn.load(packed.names)
            beginNames()
        }
        if columns.contains(.subjects) {
            subjectsColumn.load(packed.subjects)
            beginSubjects()
        }
        partsLeft = heads.count()
        (number, batch, arrival) = (-1, 0, 0)
    }

    mutating func begin(_ segment: borrowing Segment) { begin(Packed(segment)) }

    private mutating func beginNames() {
        let count = namesColumn.count()
        nameRows.removeAll(keepingCapacity: true)
        nameHasSubject.removeAll(keepingCapacity: true)
        kinds.removeAll(keepingCapacity: true)
        for _ in 0..<count {
            nameRows.append(Int64(bitPattern: namesColumn.number()))
            guard let kind = SubjectKind(rawValue: namesColumn.number()) else {
                isWrong = true
                return
            }
            kinds.append(kind)
            nameHasSubject.append(kind != .none)
        }
        if count == 0 { isWrong = true }
        nameWidth = PackedWriter.width(of: UInt64(max(count, 1) - 1))
    }

    private mutating func beginSubjects() {
        let count = subjectsColumn.count()
        subjectTexts.removeAll(keepingCapacity: true)
        for _ in 0..<count {
            let length = subjectsColumn.count()
            subjectTexts.append(subjectsColumn.take(length))
        }
        if count == 0 { isWrong = true }
        subjectWidth = PackedWriter.width(of: UInt64(max(count, 1) - 1))
    }

    /// How many subjects the segment has, none included.
    package var subjects: Int { subjectTexts.count }

    /// A subject, by its number: a JSON scalar as stored; empty for none.
    package func subject(_ code: Int) -> ArraySlice<UInt8> { subjectsColumn[subjectTexts[code]] }

    /// Goes to the next part. False behind the last one.
    package mutating func next() -> Bool {
        if columns.contains(.times) { readSessions() }
        guard partsLeft > 0, !isBroken else { return false }
        partsLeft -= 1
        number &+= 1
        batch &+= heads.signedNumber()
        device = Int64(bitPattern: heads.number())
        resource = Int64(bitPattern: heads.number())
        arrival &+= heads.signedNumber()
        let count = heads.number()
        let firstOffset = heads.number()
        let length = heads.number()
        let groups = heads.number()
        timeWidth = heads.number()
        subjectCount = Int(clamping: heads.number())
        let amountOctets = Int(clamping: heads.number())
        // No batch has more; and whoever reads takes it for granted that all is of the one day.
        guard count >= 1, count <= UInt64(EventRows.largestIndex) + 1, groups >= 1, groups <= count,
            subjectCount <= count, firstOffset < UInt64(Segment.dayLength),
            length < UInt64(Segment.dayLength) - firstOffset
        else {
            isWrong = true
            return false
        }
        first = dayStart &+ Int64(firstOffset)
        last = first &+ Int64(length)
        self.count = Int(count)
        groupCount = Int(groups)
        (hasReadSessions, hasReadTimes) = (false, false)
        if columns.contains(.times) {
            timesRange = timesColumn.take(self.count - groupCount, width: timeWidth)
        }
        if columns.contains(.names) { namesRange = namesColumn.take(self.count, width: nameWidth) }
        if columns.contains(.subjects) {
            let packed = subjectsColumn.take(subjectCount, width: subjectWidth)
            let amounts = subjectsColumn.take(amountOctets)
            subjectsRange = packed.lowerBound..<max(packed.lowerBound, amounts.upperBound)
            amountsStart = amounts.lowerBound
        }
        return !isBroken
    }

    /// Fills `groups`; only with the column `times`.
    package mutating func readSessions() {
        if hasReadSessions { return }
        hasReadSessions = true
        groups.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        var start = 0
        for _ in 0..<groupCount {
            let number = sessionsColumn.number()
            let offset = sessionsColumn.number()
            let session = number & 1 == 1 ? sessionsColumn.hash() : nil
            let length = number >> 1
            guard length >= 1, length <= UInt64(count - start),
                offset <= UInt64(bitPattern: last &- first)
            else {
                isWrong = true
                groups.removeAll(keepingCapacity: true)
                return
            }
            groups.append(Group(range: start..<start + Int(length), session: session))
            starts.append(first &+ Int64(offset))
            start += Int(length)
        }
        if start != count { isWrong = true }
    }

    /// Fills `groups` and `times`; only with the column `times`.
    package mutating func readTimes() {
        if hasReadTimes { return }
        hasReadTimes = true
        readSessions()
        if times.count < count {
            times += [Int64](repeating: 0, count: count - times.count)
        }
        if isWrong { return }
        var gaps = timesColumn.bits(timesRange, width: timeWidth)
        for (number, group) in groups.enumerated() {
            var time = starts[number]
            times[group.range.lowerBound] = time
            for place in group.range.dropFirst() {
                time &+= Int64(bitPattern: gaps.next(in: timesColumn))
                times[place] = time
            }
            // They only go up.
            if time > last { isWrong = true }
        }
    }

    /// Fills `names`; only with the column `names`.
    package mutating func readNames() {
        let isRight = namesColumn.read(
            count, at: namesRange, width: nameWidth, below: nameRows.count, into: &names)
        if !isRight { isWrong = true }
    }

    /// Fills `subjectCodes` and `amounts`, after `readNames`; only with the column `subjects`.
    package mutating func readSubjects() {
        amounts.removeAll(keepingCapacity: true)
        let isRight = subjectsColumn.read(
            subjectCount, at: subjectsRange, width: subjectWidth, below: subjectTexts.count,
            into: &subjectCodes)
        if !isRight { isWrong = true }
        subjectsColumn.seek(amountsStart)
        let kinds = kinds
        for name in names {
            switch kinds[Int(name)] {
            case .none: continue
            case .text: amounts.append(1)
            case .counter: amounts.append(subjectsColumn.signedNumber())
            }
        }
        if amounts.count != subjectCount {
            isWrong = true
            // Whoever looks at what was read all the same finds as many of both.
            amounts = [Int64](repeating: 1, count: subjectCount)
        }
    }
}
