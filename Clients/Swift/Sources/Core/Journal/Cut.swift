/// Lines from the front of what waits in one segment: what becomes a batch, or is dropped.
package struct Cut: Sendable {
    /// Events of a batch at most (wire.md §2).
    package static let maxEvents = 5000
    /// Bytes of a batch's JSON at most (client.md §4), less what its other members need.
    package static let maxBytes = 262_144 - 2048

    package let segment: Int64
    package let start: Int
    /// Whether the events have been in a batch that was undone: what is dropped between them is counted.
    package let isUndone: Bool
    package private(set) var lines: [Line] = []

    /// Takes lines while they fit; at least one event, if there is one.
    ///
    /// - Parameters:
    ///   - bytes: The segment.
    ///   - end: Where what may be taken ends; nil for the segment's end.
    package init(
        segment: Int64, _ bytes: [UInt8], from start: Int, to end: Int? = nil,
        maxEvents: Int = maxEvents, maxBytes: Int = maxBytes, isUndone: Bool = false
    ) {
        self.segment = segment
        self.start = start
        self.isUndone = isUndone
        var events = 0
        var size = 0
        for line in Line.read(bytes, from: start, to: end) {
            if line.kind == .event {
                if events > 0, events == maxEvents || size + line.range.count > maxBytes { break }
                events += 1
                size += line.range.count
            }
            lines.append(line)
        }
    }

    /// Where it ends in the segment.
    package var end: Int { lines.last?.range.upperBound ?? start }

    /// Ranges of the events' JSON.
    package var events: [Range<Int>] { lines.filter { $0.kind == .event }.map(\.text) }

    /// Events that these lines say are gone: dropped before they could be written, or damaged.
    package var drops: Int64 {
        lines.reduce(0) { sum, line in
            switch line.kind {
            case .drops(let count): sum + count
            case .damaged: sum + 1
            case .event, .resource: sum
            }
        }
    }

    /// The same up to and with its n-th event.
    package func prefix(events count: Int) -> Cut {
        var cut = self
        var seen = 0
        cut.lines = []
        for line in lines where seen < count {
            cut.lines.append(line)
            if line.kind == .event { seen += 1 }
        }
        return cut
    }
}

extension Cut {
    /// The lines of the batch on its way.
    package init(_ batch: Ledger.Frozen, _ bytes: [UInt8]) {
        self.init(
            segment: batch.segment, bytes, from: batch.range.lowerBound,
            to: batch.range.upperBound, maxEvents: .max, maxBytes: .max)
    }

    /// No line, up to an offset.
    package init(segment: Int64, upTo end: Int) {
        self.init(segment: segment, [], from: end)
    }
}
