/// Events of a part that have certain names, without a look at the others:
///
///     reader.look { wanted.contains($0) }
///     while reader.next() { let count = reader.find(into: &found); … reader.amount(found[0]) … }
extension SegmentReader {
    /// Chooses the names that `find` looks for in the segment, by their rows; only with the column
    /// `names`.
    package mutating func look(for isWanted: (Int64) -> Bool) {
        marks.removeAll(keepingCapacity: true)
        for (row, kind) in zip(nameRows, kinds) {
            var mark: UInt8 = isWanted(row) ? Mark.isWanted : 0
            if kind != .none { mark |= Mark.hasSubject }
            if kind == .counter { mark |= Mark.isCounter }
            marks.append(mark)
        }
    }

    /// Writes the part's events of the names that are looked for, in their order, over what is in
    /// `found`.
    /// - Returns: how many they are; what follows them is of other parts
    package mutating func find(into found: inout [Found]) -> Int {
        locate()
        if found.count < count {
            found += repeatElement(.none, count: count - found.count)
        }
        amountsOffset = -1
        namesColumn.seek(namesOffset)
        var bits = namesColumn.bits(namesColumn.take(count, width: nameWidth), width: nameWidth)
        var (subjects, counters): (Int32, Int32) = (0, 0)
        var events = found.mutableSpan
        var used = 0
        for index in 0..<Int32(truncatingIfNeeded: count) {
            let name = bits.next(in: namesColumn)
            guard name < UInt64(marks.count) else {
                isWrong = true
                return 0
            }
            let at = Int(truncatingIfNeeded: name)
            let mark = marks[at]
            if mark & Mark.isWanted != 0 {
                events[used] = Found(
                    index: index, name: Int32(truncatingIfNeeded: at), subject: subjects,
                    counter: mark & Mark.isCounter != 0 ? counters : -1)
                used &+= 1
            }
            subjects &+= Int32(mark & Mark.hasSubject)
            counters &+= Int32((mark & Mark.isCounter) &>> 1)
        }
        self.counters = Int(counters)
        if columns.contains(.subjects), Int64(subjects) != head(.subjects) { isWrong = true }
        return used
    }

    /// The number in the segment of the subject of an event of the part that has one: 0 for none. Only
    /// with the column `subjects`.
    package mutating func subjectCode(_ event: Found) -> Int {
        guard !isWrong, Int64(event.subject) < head(.subjects) else {
            isWrong = true
            return 0
        }
        let bit = Int(event.subject) &* Int(truncatingIfNeeded: subjectWidth)
        let code = subjectsColumn.number(at: subjectsOffset &* 8 &+ bit, width: subjectWidth)
        guard code < UInt64(subjectTexts.count) else {
            isWrong = true
            return 0
        }
        return Int(truncatingIfNeeded: code)
    }

    /// The amount of an event of the part that is a counter's step; 1 for other events. Only with the
    /// column `subjects`.
    package mutating func amount(_ event: Found) -> Int64 {
        if event.counter < 0 { return 1 }
        if amountsOffset < 0 { beginAmounts() }
        if isBroken { return 1 }
        let number = Int(event.counter)
        if !steps.isEmpty { return steps[number] }
        subjectsColumn.seek(amountsOffset &+ number)
        let amount = subjectsColumn.signedNumber()
        if subjectsColumn.position != amountsOffset &+ number &+ 1 { isWrong = true }
        return amount
    }

    /// Fills `steps`, unless each of the part's amounts takes one byte.
    private mutating func beginAmounts() {
        _ = seekSubjects()
        amountsOffset = subjectsColumn.position
        steps.removeAll(keepingCapacity: true)
        if head(.amounts) == counters { return }
        for _ in 0..<counters { steps.append(subjectsColumn.signedNumber()) }
        if Int64(subjectsColumn.position &- amountsOffset) != head(.amounts) { isWrong = true }
    }
}
