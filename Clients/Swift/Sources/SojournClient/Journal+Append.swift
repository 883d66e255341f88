import Core

extension Journal {
    /// Lines that are appended together.
    struct Lines {
        var bytes: [UInt8] = []
        var events: Int64 = 0
        /// Events that the lines say are gone.
        var drops: Int64 = 0

        /// Adds a line that says that so many events are gone.
        mutating func drop(_ count: Int64) {
            guard count > 0 else { return }
            Line.append(drops: count, to: &bytes)
            drops += count
        }

        /// Takes off the whole lines of the first `count` bytes.
        mutating func split(at count: Int) -> Lines {
            var front = Lines()
            for line in Line.read(bytes, from: 0, to: count) {
                switch line.kind {
                case .event: front.events += 1
                case .drops(let count): front.drops += count
                case .resource, .damaged: break
                }
                front.bytes += bytes[line.range]
            }
            bytes.removeFirst(front.bytes.count)
            events -= front.events
            drops -= front.drops
            return front
        }
    }

    /// Appends lines, and before them a count of what could not be appended earlier. What cannot be
    /// written now, at the second try, is dropped and counted in memory.
    func append(_ lines: Lines) throws(FileFailure) {
        var rest = lines
        do throws(FileFailure) {
            try tryAppend(&rest)
        } catch {
            do throws(FileFailure) {
                try tryAppend(&rest)
            } catch {
                unwritten += rest.events + rest.drops
                throw error
            }
        }
    }

    /// - Parameter lines: Where this throws, what of them is not appended.
    private func tryAppend(_ lines: inout Lines) throws(FileFailure) {
        if unwritten > 0 {
            var whole = Lines()
            whole.drop(unwritten)
            whole.bytes += lines.bytes
            whole.events = lines.events
            whole.drops += lines.drops
            lines = whole
            unwritten = 0
        }
        guard !lines.bytes.isEmpty else { return }
        try makeRoom(for: lines.bytes.count)
        try openCurrent(for: lines.bytes.count)
        guard let current, let index = segments.firstIndex(where: { $0.number == current.number })
        else { return }
        do throws(FileFailure) {
            try Files.write(lines.bytes, to: current.file)
        } catch {
            let end = Files.size(current.file)
            let written = lines.split(
                at: min(max(0, end - segments[index].size), lines.bytes.count))
            segments[index].add(written)
            // A line that is half there must not become the beginning of another. Where it cannot be
            // cut off it stays the last of its segment: it has no end, and was never appended.
            do throws(FileFailure) {
                if end != segments[index].size {
                    try Files.truncate(current.file, to: segments[index].size)
                }
            } catch {
                closeCurrent()
            }
            throw error
        }
        segments[index].add(lines)
    }

    private func openCurrent(for count: Int) throws(FileFailure) {
        if let current {
            let segment = segments.first { $0.number == current.number }
            let size = segment?.size ?? 0
            if !Files.exists(folder + "/" + Segment.name(current.number)) {
                // The folder was deleted, or another process has wiped it.
                try step { (_: inout Ledger) throws(FileFailure) in }
            } else if size + count <= segmentSize || size < 4096 {
                return
            }
        }
        try beginSegment()
        removeUsed()
    }

    /// Drops the oldest of what waits until so many bytes more are within the bound.
    private func makeRoom(for count: Int) throws(FileFailure) {
        while waiting.bytes + count > limit {
            guard
                let segment = segments.first(where: { !$0.isForeign && $0.waiting.bytes > 0 })
            else { return }
            let before = waiting.bytes
            try step { (ledger) throws(FileFailure) in
                guard let bytes = try content(segment.number) else { return }
                let start =
                    ledger.cursor(of: segment.number) ?? Segment.resource(of: bytes)?.end ?? 0
                ledger.drop(
                    Cut(
                        segment: segment.number, bytes, from: start, to: segment.size,
                        maxBytes: limit / 8))
            }
            guard waiting.bytes < before else { return }
        }
    }

    /// What waits and is not frozen, in the segments that are not another process's.
    var waiting: Segment.Waiting {
        segments.reduce(into: Segment.Waiting()) { sum, segment in
            guard !segment.isForeign else { return }
            sum.events += segment.waiting.events
            sum.drops += segment.waiting.drops
            sum.bytes += segment.waiting.bytes
        }
    }

    /// Events that wait, frozen ones included.
    var waitingEvents: Int64 { waiting.events + ledger.pinnedEvents }

    /// Whether there is something to tell the server.
    var hasSomething: Bool {
        ledger.frozen != nil || ledger.undone != nil || ledger.unreported > 0 || unwritten > 0
            || waiting.events + waiting.drops > 0
    }
}
