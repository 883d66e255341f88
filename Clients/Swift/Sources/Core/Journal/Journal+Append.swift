extension Journal {
    /// Appends lines, and before them a count of what could not be appended earlier. What cannot be
    /// written now, at the second try, is dropped and counted in memory.
    package func append(_ lines: Lines) throws(DiskFailure) {
        var rest = lines
        do throws(DiskFailure) {
            try tryAppend(&rest)
        } catch {
            do throws(DiskFailure) {
                try tryAppend(&rest)
            } catch {
                unwritten += rest.events + rest.drops
                throw error
            }
        }
    }

    /// - Parameter lines: Where this throws, what of them is not appended.
    private func tryAppend(_ lines: inout Lines) throws(DiskFailure) {
        if unwritten > 0 {
            var lost = Lines()
            lost.drop(unwritten)
            lines = lines.following(lost)
            unwritten = 0
        }
        guard !lines.isEmpty else { return }
        try makeRoom(for: lines.bytes.count)
        try openCurrent(for: lines.bytes.count)
        guard let current, let index = segments.firstIndex(where: { $0.number == current.number })
        else { return }
        do throws(DiskFailure) {
            try disk.append(lines.bytes, to: current.file)
        } catch {
            let end = disk.size(of: current.file)
            let written = lines.split(
                at: min(max(0, end - segments[index].size), lines.bytes.count))
            segments[index].add(written)
            // A line that is half there must not become the beginning of another. Where it cannot be
            // cut off it stays the last of its segment: it has no end, and was never appended.
            do throws(DiskFailure) {
                if end != segments[index].size {
                    try disk.truncate(current.file, to: segments[index].size)
                }
            } catch {
                closeCurrent()
            }
            throw error
        }
        segments[index].add(lines)
    }

    private func openCurrent(for count: Int) throws(DiskFailure) {
        if let current {
            let segment = segments.first { $0.number == current.number }
            let size = segment?.size ?? 0
            if !disk.exists(Segment.name(current.number)) {
                // The folder was deleted, or another process has wiped it.
                try step { (_: inout Ledger) throws(DiskFailure) in }
            } else if size + count <= segmentSize || size < 4096 {
                return
            }
        }
        try beginSegment()
        removeUsed()
    }

    /// Drops the oldest of what waits until so many bytes more are within the bound.
    private func makeRoom(for count: Int) throws(DiskFailure) {
        while waiting.bytes + count > limit {
            guard
                let number = segments.first(where: { !$0.isForeign && $0.waiting.bytes > 0 })?
                    .number
            else { return }
            let before = waiting.bytes
            try step { (ledger) throws(DiskFailure) in
                // As it is now: another process may have deleted what waited in it.
                guard let segment = segments.first(where: { $0.number == number }) else { return }
                guard let bytes = try content(segment.number) else {
                    return lose(segment, &ledger)
                }
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

    // MARK: The current segment

    /// Bytes of a segment, after which another is begun.
    private var segmentSize: Int { min(max(limit / 8, 16_384), 131_072) }

    /// Begins another segment.
    func beginSegment() throws(DiskFailure) {
        closeCurrent()
        try disk.makeFolder()
        let lock = try disk.lockFolder()
        defer { disk.close(lock) }
        try refresh()
        let number = max(highest, present.last ?? 0, ledger.highestSegment) + 1
        let file = try disk.create(Segment.name(number))
        var header: [UInt8] = []
        Line.append(resource, isEvent: false, to: &header)
        do throws(DiskFailure) {
            try disk.append(header, to: file)
        } catch {
            disk.close(file)
            _ = disk.remove(Segment.name(number))
            throw error
        }
        current = (number, file)
        owned.insert(number)
        highest = number
        segments.append(Segment(number: number, size: header.count))
    }

    func closeCurrent() {
        if let current { disk.close(current.file) }
        current = nil
    }

    /// What was appended is on the disk when this returns.
    package func sync() throws(DiskFailure) {
        if let current { try disk.sync(current.file) }
    }
}
