extension Journal {
    /// The numbers of all segments that the folder has.
    func numbers() throws(DiskFailure) -> [Int64] {
        try disk.names().compactMap(Segment.number).sorted()
    }

    /// A first ledger. Where there was one that cannot be read, what waits beside it may have been sent:
    /// it is dropped and counted.
    func begin() throws(DiskFailure) {
        var next = Ledger(installation: newID())
        let (waiting, ends) = try countAll(next)
        next.lose(waiting.events + waiting.drops)
        next.cursors = ends
        try write(next)
        try scan()
    }

    /// What waits in all segments that the folder has, those of other processes as far as they are
    /// written, and where they end.
    func countAll(
        _ ledger: Ledger
    ) throws(DiskFailure) -> (waiting: Segment.Waiting, ends: [Ledger.Cursor]) {
        var waiting = Segment.Waiting()
        var ends: [Ledger.Cursor] = []
        for number in present where number >= ledger.floor {
            guard let bytes = try content(number) else { continue }
            var segment = Segment(number: number)
            let start = ledger.cursor(of: number) ?? Segment.resource(of: bytes)?.end ?? 0
            segment.count(bytes, from: start)
            waiting.add(segment.waiting)
            ends.append(Ledger.Cursor(segment: number, offset: segment.size))
        }
        return (waiting, ends)
    }

    /// Reads all segments anew, as the ledger has them.
    func scan() throws(DiskFailure) {
        segments = []
        var unreadable: [(Int64, Int, Int64)] = []
        for number in present {
            guard number >= ledger.floor else {
                _ = disk.remove(Segment.name(number))
                continue
            }
            var segment = Segment(number: number)
            switch try held(number) {
            case .held: segment.isForeign = true
            case .free(let bytes):
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
        for index in segments.indices
        where unreadable.contains(where: { $0.0 == segments[index].number }) {
            segments[index].waiting = Segment.Waiting()
        }
        removeUsed()
    }

    /// A segment's bytes, or that it is another process's.
    private func held(_ number: Int64) throws(DiskFailure) -> Held {
        guard number != current?.number else { return .free(try content(number) ?? []) }
        return try disk.contentUnlessHeld(Segment.name(number))
    }

    /// A frozen batch whose lines are not whole any more may be stored, and is never sent: dropped.
    func checkFrozen() throws(DiskFailure) {
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
    func content(_ number: Int64) throws(DiskFailure) -> [UInt8]? {
        try disk.content(Segment.name(number))
    }

    /// Counts what waited in a segment that was damaged or deleted since it was counted.
    func lose(_ segment: Segment, _ ledger: inout Ledger) {
        ledger.lose(segment.waiting.events + segment.waiting.drops)
        ledger.skip(Cut(segment: segment.number, upTo: segment.size))
        // What is appended to it could not be read either.
        if let current, current.number == segment.number { closeCurrent() }
    }

    /// Counts what was in segments that are gone, and writes a ledger anew that is.
    func loseMissing(isLedgerWhole: Bool) throws(DiskFailure) {
        var next = ledger
        for segment in segments where !present.contains(segment.number) {
            next.lose(segment.waiting.events + segment.waiting.drops)
            if next.frozen?.segment == segment.number { next.refuse() }
            if next.undone?.segment == segment.number { next.loseUndone() }
        }
        if !isLedgerWhole || next != ledger { try write(next) }
        segments.removeAll { !present.contains($0.number) }
        if let current, !present.contains(current.number) { closeCurrent() }
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
            return disk.remove(Segment.name(segment.number))
        }
    }
}
