/// Goes through a segment, part after part. A part's events are read only where they are asked for:
///
///     while reader.next() { … reader.device … reader.readTimes() … reader.times[0] … }
///     if reader.isBroken { throw … }
///
/// It keeps its memory from one segment to the next.
package struct SegmentReader: ~Copyable {
    /// The segment's day, in days since 1970-01-01, UTC.
    package private(set) var day: Int64 = 0
    /// Row of the part's device and of its batch's resource.
    package private(set) var device: Int64 = 0
    package private(set) var resource: Int64 = 0
    /// Row of its batch, and when that came, milliseconds since 1970-01-01T00:00:00Z. Few readers ask
    /// for it, and they look it up: mutating, since for a getter that is not, other modules copy the
    /// whole reader.
    package var batch: Int64 { mutating get { row < 0 ? 0 : head(.batch) } }
    package var arrival: Int64 { mutating get { row < 0 ? 0 : head(.arrival) } }
    /// How many events the part has.
    package private(set) var count = 0
    /// Times of its earliest and its latest event, milliseconds since 1970-01-01T00:00:00Z.
    package private(set) var first: Int64 = 0
    package private(set) var last: Int64 = 0
    /// Whether the part's heads do not tell how long its sessions are in the foreground: where a gap between events
    /// of one may be longer than so many milliseconds, and in the first form.
    package mutating func needsEvents(gap: Int64) -> Bool {
        isFirstForm || Self.longestGap(row < 0 ? 63 : head(.gapWidth)) > gap
    }

    /// Rows of the segment's names, by index.
    package private(set) var nameRows: [Int64] = []

    /// The keys of the sessions of all parts, in order of the parts; only with the column `sessions`.
    package private(set) var sessions: [UInt64] = []
    /// Whether that column is of the first form (`currentForm`).
    package private(set) var isFirstForm = false
    /// The index in `sessions` of the part's first session.
    package private(set) var firstSession = 0
    /// The part's groups; only with the column `sessions`.
    package private(set) var groups: [Group] = []
    /// Filled by `readTimes`: of each event of the part.
    package private(set) var times: [Int64] = []
    /// Filled by `readNames`: the index in `nameRows` of each event's name.
    package private(set) var names: [Int32] = []
    /// Filled by `readSubjects`: of each event whose name has one, in order, the number of its subject
    /// in the segment, 0 for none.
    package private(set) var subjectCodes: [Int32] = []
    /// Filled by `readSubjects`: of the same how far a counter went up, 1 for what is none.
    package private(set) var amounts: [Int64] = []

    /// The columns that are loaded of the current segment.
    package private(set) var columns: Columns = []
    private let wanted: Columns
    private(set) var dayStart: Int64 = 0
    private(set) var table = PackedTable()
    /// The current part.
    private var row = -1
    var kinds: [SubjectKind] = []
    var subjectTexts: [Range<Int>] = []
    var nameWidth: UInt64 = 0
    var subjectWidth: UInt64 = 0
    /// The next part's first session in `sessions`.
    private var session = 0
    /// The offset at which the groups of the first part begin.
    private var groupsStart = 0
    /// A part, and where its events begin in the columns.
    private var located = 0
    /// The offsets at which those of the first part begin.
    private var firstNamesOffset = 0
    private var subjectsStart = 0
    private var timesOffset = 0
    var namesOffset = 0
    var subjectsOffset = 0
    private var hasReadTimes = true
    /// What `find` does with events of a name, by its index: bits of `Mark`.
    var marks: [UInt8] = []
    /// How many counters `find` met in the part, and where their amounts begin; −1 before.
    var counters = 0
    var amountsOffset = -1
    /// How far each counter of the part goes up, once asked for; none where each takes one byte.
    var steps: [Int64] = []
    private(set) var heads = PackedReader()
    private var sessionsColumn = PackedReader()
    private var timesColumn = PackedReader()
    var namesColumn = PackedReader()
    var subjectsColumn = PackedReader()
    var isWrong = false

    /// One that reads these columns.
    package init(_ columns: Columns) { wanted = columns }

    /// Whether the segment is not what was written: then what was read may be wrong, and no more is.
    package var isBroken: Bool {
        isWrong || heads.isBroken || sessionsColumn.isBroken || timesColumn.isBroken
            || namesColumn.isBroken || subjectsColumn.isBroken
    }

    /// Memory that it takes for what it has made of a segment's columns, in bytes.
    package var bytes: Int {
        (sessions.capacity + times.capacity + amounts.capacity + steps.capacity) * 8
            + subjectTexts.capacity * MemoryLayout<Range<Int>>.stride
            + groups.capacity * MemoryLayout<Group>.stride
    }

    /// Begins with columns of a segment, of which it takes those that are wanted.
    package mutating func begin(_ packed: Packed) {
        isWrong = false
        hasReadTimes = true
        columns = []
        day = packed.day
        dayStart = day &* Segment.dayLength
        heads.load(packed.parts)
        table = PackedTable(Head.allCases.count, in: &heads)
        row = -1
        located = 0
        groups.removeAll(keepingCapacity: true)
        for (column, bytes) in packed.columns where wanted.contains(column) {
            load(column, bytes)
        }
    }

    /// Begins with a segment and all columns that are wanted.
    package mutating func begin(_ segment: borrowing Segment) { begin(Packed(segment, wanted)) }

    /// Adds a column, when it is needed.
    package mutating func load(_ column: Columns, _ bytes: [UInt8]) {
        switch column {
        case .sessions:
            sessionsColumn.load(bytes)
            beginSessions()
        case .gaps: timesColumn.load(bytes)
        case .names:
            namesColumn.load(bytes)
            beginNames()
        default:
            subjectsColumn.load(bytes)
            beginSubjects()
        }
        columns.formUnion(column)
        // Earlier parts are located again, in this column too; and so are their groups.
        located = 0
        timesOffset = 0
        namesOffset = firstNamesOffset
        subjectsOffset = subjectsStart
        if column == .sessions, row >= 0 {
            let reached = row
            row = -1
            while row < reached, next() {}
        }
    }

    private mutating func beginSessions() {
        isFirstForm = sessionsColumn.number() != Self.currentForm
        if isFirstForm { sessionsColumn.seek(0) }
        let count = sessionsColumn.count()
        let bytes = sessionsColumn.take(count &* 8)
        sessions.removeAll(keepingCapacity: true)
        for offset in stride(from: bytes.lowerBound, to: bytes.upperBound, by: 8) {
            sessions.append(sessionsColumn.word(at: offset))
        }
        session = 0
        groupsStart = sessionsColumn.position
    }

    private mutating func beginNames() {
        let count = namesColumn.count()
        nameRows.removeAll(keepingCapacity: true)
        kinds.removeAll(keepingCapacity: true)
        for _ in 0..<count {
            nameRows.append(Int64(bitPattern: namesColumn.number()))
            guard let kind = SubjectKind(rawValue: namesColumn.number()) else {
                isWrong = true
                return
            }
            kinds.append(kind)
        }
        if count == 0 { isWrong = true }
        nameWidth = PackedWriter.width(of: UInt64(max(count, 1) - 1))
        firstNamesOffset = namesColumn.position
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
        subjectsStart = subjectsColumn.position
    }

    /// Whether events of a name have a subject, by its index in `nameRows`.
    package func hasSubject(_ name: Int) -> Bool { kinds[name] != .none }

    /// How many subjects the segment has, none included.
    package var subjects: Int { subjectTexts.count }

    /// A subject, by its number: a JSON scalar as stored; empty for none.
    package func subject(_ code: Int) -> ArraySlice<UInt8> { subjectsColumn[subjectTexts[code]] }

    /// Goes to the next part. False after the last one.
    package mutating func next() -> Bool {
        guard row &+ 1 < table.rows, !isBroken else { return false }
        row &+= 1
        guard let span = PartSpan(dayStart, head(.first), head(.length), head(.count)) else {
            isWrong = true
            return false
        }
        device = head(.device)
        resource = head(.resource)
        (first, last, count) = (span.first, span.last, span.count)
        hasReadTimes = false
        if columns.contains(.sessions) { readGroups(of: span) }
        return !isBroken
    }

    @inline(__always)
    func head(_ head: Head) -> Int64 { table.number(head.rawValue, of: row, in: heads) }

    /// Counts the parts of the segment, from 0.
    package var number: Int { row }

    private mutating func readGroups(of part: PartSpan) {
        groups.removeAll(keepingCapacity: true)
        firstSession = session
        let number = head(.groups)
        guard number >= 1, number <= count else {
            isWrong = true
            return
        }
        var start = 0
        for _ in 0..<number {
            guard
                let group = GroupHead(
                    in: &sessionsColumn, part, after: start, isOnly: number == 1,
                    isFirstForm: isFirstForm)
            else { return refuseGroups() }
            var key: UInt64?
            if group.hasSession {
                guard session < sessions.count else { return refuseGroups() }
                key = sessions[session]
                session &+= 1
            }
            let end = start &+ group.count
            groups.append(
                Group(
                    range: start..<end, session: key, first: group.first, last: group.last,
                    hasStart: group.hasStart, hasTransition: group.hasTransition,
                    isInBackground: group.isInBackground, silence: group.silence, lead: group.lead))
            start = end
        }
        if start != count { refuseGroups() }
    }

    /// The column of sessions, from the first part's groups on.
    var groupsColumn: PackedReader {
        var column = sessionsColumn
        column.seek(groupsStart)
        return column
    }

    private mutating func refuseGroups() {
        isWrong = true
        groups.removeAll(keepingCapacity: true)
    }

    /// Finds out where the events of the part begin in the columns that there are.
    mutating func locate() {
        while located < row {
            let count = number(.count)
            namesOffset &+= PackedReader.bytes(
                of: count, width: Int(truncatingIfNeeded: nameWidth))
            if columns.contains(.gaps) {
                let gaps = count &- number(.groups)
                let width = number(.gapWidth)
                guard gaps >= 0, (0...32).contains(width) else { return isWrong = true }
                timesOffset &+= PackedReader.bytes(of: gaps, width: width)
            }
            if columns.contains(.subjects) {
                let subjects = number(.subjects)
                let amounts = number(.amounts)
                guard subjects >= 0, subjects <= count, amounts >= 0, amounts <= count &* 10
                else { return isWrong = true }
                subjectsOffset &+=
                    amounts
                    &+ PackedReader.bytes(
                        of: subjects, width: Int(truncatingIfNeeded: subjectWidth))
            }
            located &+= 1
        }
    }

    /// Of the part to be located.
    @inline(__always)
    private func number(_ head: Head) -> Int {
        Int(truncatingIfNeeded: table.number(head.rawValue, of: located, in: heads))
    }

    /// Fills `times`; only with the column `times`.
    package mutating func readTimes() {
        if hasReadTimes { return }
        hasReadTimes = true
        if times.count < count {
            times += [Int64](repeating: 0, count: count - times.count)
        }
        locate()
        if isWrong { return }
        let width = UInt64(bitPattern: head(.gapWidth))
        timesColumn.seek(timesOffset)
        let range = timesColumn.take(count &- groups.count, width: width)
        var gaps = timesColumn.bits(range, width: width)
        for group in groups {
            let last = gaps.add(to: &times, group.range, from: group.first, in: timesColumn)
            // They only go up.
            if last != group.last { isWrong = true }
        }
    }

    /// Fills `names`; only with the column `names`.
    package mutating func readNames() {
        if names.count > count { names.removeLast(names.count - count) }
        if names.count < count {
            names += repeatElement(0, count: count - names.count)
        }
        locate()
        namesColumn.seek(namesOffset)
        var bits = namesColumn.bits(namesColumn.take(count, width: nameWidth), width: nameWidth)
        if !bits.fill(&names, below: UInt64(nameRows.count), in: namesColumn) { isWrong = true }
    }

    /// Fills `subjectCodes` and `amounts`, after `readNames`; only with the column `subjects`.
    package mutating func readSubjects() {
        amounts.removeAll(keepingCapacity: true)
        subjectCodes.removeAll(keepingCapacity: true)
        var bits = seekSubjects()
        let count = Int(truncatingIfNeeded: head(.subjects))
        for name in names where kinds[Int(name)] != .none {
            guard amounts.count < count else {
                isWrong = true
                return
            }
            let isCounter = kinds[Int(name)] == .counter
            amounts.append(isCounter ? subjectsColumn.signedNumber() : 1)
            let code = bits.next(in: subjectsColumn)
            if code >= UInt64(subjectTexts.count) { isWrong = true }
            subjectCodes.append(isWrong ? 0 : Int32(truncatingIfNeeded: code))
        }
        if amounts.count != count { isWrong = true }
    }

    /// The numbers of the part's subjects; the amounts come next.
    mutating func seekSubjects() -> PackedReader.Bits {
        locate()
        subjectsColumn.seek(subjectsOffset)
        let range = subjectsColumn.take(
            Int(truncatingIfNeeded: head(.subjects)), width: subjectWidth)
        return subjectsColumn.bits(range, width: subjectWidth)
    }
}
