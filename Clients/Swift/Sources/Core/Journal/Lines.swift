/// Lines that are appended together.
package struct Lines: Sendable {
    package private(set) var bytes: [UInt8] = []
    package private(set) var events: Int64 = 0
    /// Events that the lines say are gone.
    package private(set) var drops: Int64 = 0

    package init() {}

    package var isEmpty: Bool { bytes.isEmpty }

    /// Adds an event's JSON.
    package mutating func add(event json: [UInt8]) {
        Line.append(json, isEvent: true, to: &bytes)
        events += 1
    }

    /// Adds a line that says that so many events are gone.
    package mutating func drop(_ count: Int64) {
        var rest = count
        while rest > 0 {
            let part = min(rest, Line.maxDrops)
            Line.append(drops: part, to: &bytes)
            drops += part
            rest -= part
        }
    }

    /// These, after others.
    func following(_ front: Lines) -> Lines {
        var all = front
        all.bytes += bytes
        all.events += events
        all.drops += drops
        return all
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
