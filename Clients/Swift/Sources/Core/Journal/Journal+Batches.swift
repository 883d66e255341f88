extension Journal {
    /// Makes a batch of the oldest events that wait, of one process: synced, then frozen in one step. Where
    /// none wait, of the count of dropped ones alone.
    ///
    /// - Parameter fits: Whether a batch's text is small enough when it is sealed; how much too large it
    ///   is otherwise, as a quotient above 1.
    func freeze(fits: ([UInt8]) -> Double) throws(DiskFailure) {
        if unwritten > 0 { try append(Lines()) }
        if current == nil, waiting.events == 0 { try beginSegment() }
        try sync()
        try step { (ledger) throws(DiskFailure) in
            guard ledger.frozen == nil else { return }
            try choose(fits, &ledger)
            // Before the step: what is frozen may be posted.
            if let frozen = ledger.frozen, frozen.segment != current?.number {
                try disk.sync(Segment.name(frozen.segment))
            }
        }
    }

    /// Freezes the next batch, if there is one.
    private func choose(
        _ fits: ([UInt8]) -> Double, _ ledger: inout Ledger
    ) throws(DiskFailure) {
        if let rest = ledger.undone {
            let bytes = try content(rest.segment) ?? []
            let cut = Cut(
                segment: rest.segment, bytes, from: rest.range.lowerBound,
                to: rest.range.upperBound, maxEvents: Int(clamping: rest.cap), isUndone: true)
            if try freeze(cut, bytes, fits, &ledger) { return }
            ledger.loseUndone()
        }
        for segment in segments where !segment.isForeign {
            guard let bytes = try content(segment.number),
                let header = Segment.resource(of: bytes)
            else {
                lose(segment, &ledger)
                continue
            }
            while true {
                let start = ledger.cursor(of: segment.number) ?? header.end
                let cut = Cut(segment: segment.number, bytes, from: start, to: segment.size)
                guard !cut.lines.isEmpty else { break }
                if try freeze(cut, bytes, fits, &ledger) { return }
            }
        }
        guard ledger.unreported > 0, let current,
            let size = segments.first(where: { $0.number == current.number })?.size
        else { return }
        ledger.freeze(Cut(segment: current.number, upTo: size), batchID: newID())
    }

    /// Freezes what of a cut fits.
    /// - Returns: false where it has no event that does; what it has is used up then.
    private func freeze(
        _ cut: Cut, _ bytes: [UInt8], _ fits: ([UInt8]) -> Double, _ ledger: inout Ledger
    ) throws(DiskFailure) -> Bool {
        var cut = cut
        while !cut.events.isEmpty {
            var next = ledger
            next.freeze(cut, batchID: newID())
            guard let frozen = next.frozen,
                let text = text(frozen, bytes, installation: next.installation, sentAt: 0)
            else { return false }
            let excess = fits(text)
            if excess <= 1 {
                ledger = next
                return true
            }
            let count = cut.events.count
            if count == 1 {
                // One that no body can carry.
                if !cut.isUndone { ledger.drop(cut) }
                return false
            }
            cut = cut.prefix(events: max(1, min(count - 1, Int(Double(count) / excess * 0.97))))
        }
        if !cut.isUndone { ledger.skip(cut) }
        return false
    }

    /// The text of the batch on its way, and whether this process has recorded it; nil where it cannot be
    /// read any more.
    func frozenText(sentAt: (_ isOwn: Bool) -> Int64) throws(DiskFailure) -> [UInt8]? {
        guard let frozen = ledger.frozen, let bytes = try content(frozen.segment) else {
            return nil
        }
        return text(
            frozen, bytes, installation: ledger.installation,
            sentAt: sentAt(owned.contains(frozen.segment)))
    }

    private func text(
        _ frozen: Ledger.Frozen, _ bytes: [UInt8], installation: String, sentAt: Int64
    ) -> [UInt8]? {
        let cut = Cut(frozen, bytes)
        guard let resource = Segment.resource(of: bytes)?.json,
            Int64(cut.events.count) == frozen.events, cut.end == frozen.range.upperBound
        else { return nil }
        return BatchText.make(
            frozen, installation: installation, resource: bytes[resource], bytes: bytes,
            events: cut.events, sentAt: sentAt)
    }

    /// The names of the events of the batch on its way.
    func frozenNames() -> [String] {
        guard let frozen = ledger.frozen, let bytes = readable(frozen.segment) else {
            return []
        }
        return Cut(frozen, bytes).events.map { range in
            Event.read(bytes[range].span)?.name ?? "?"
        }
    }

    /// Contents whose completion waits: the ledger has not yet seen them.
    func waitingCompletions() -> [String] {
        var found: [String] = []
        let opening = Array("{\"name\":\"content.complete\"".utf8)
        for segment in segments where segment.waiting.events > 0 {
            guard let bytes = readable(segment.number) else { continue }
            let start = ledger.cursor(of: segment.number) ?? 0
            for line in Line.read(bytes, from: start)
            where line.kind == .event && bytes[line.text].starts(with: opening) {
                let event = Event.read(bytes[line.text].span, attribute: "content.id")
                if let id = event?.attribute { found.append(id) }
            }
        }
        return found
    }

    /// Deletes what waits.
    ///
    /// - Parameters:
    ///   - forgets: Whether this is another device from now on.
    ///   - isEnabled: Whether anything is recorded from now on; nil leaves it.
    func wipe(forgets: Bool, isEnabled: Bool? = nil) throws(DiskFailure) {
        let lost = unwritten
        try step { (ledger) throws(DiskFailure) in
            // Those of other processes, too: what they append afterwards waits.
            let (waiting, ends) = try countAll(ledger)
            let events = waiting.events + ledger.pinnedEvents
            let drops = waiting.drops + lost
            if forgets {
                ledger.forget(
                    waiting: events, drops: drops, ends: ends, installation: newID())
            } else {
                ledger.wipe(waiting: events, drops: drops, ends: ends)
            }
            if let isEnabled { ledger.isEnabled = isEnabled }
        }
        unwritten = 0
        closeCurrent()
        removeUsed()
    }

    /// Takes the id that a group of apps shares, unless something waits that was recorded under the old
    /// one, or another process records under it: then a later start does.
    func join(_ installation: String) throws(DiskFailure) {
        guard !hasSomething, !segments.contains(where: \.isForeign) else { return }
        try step { (ledger) throws(DiskFailure) in
            if ledger.installation != installation { ledger.join(installation) }
        }
    }

    /// The bytes of a segment, if it can be read now.
    private func readable(_ number: Int64) -> [UInt8]? {
        do throws(DiskFailure) { return try content(number) } catch { return nil }
    }
}
