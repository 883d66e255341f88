/// A file of lines, appended to by one process and then never again. Its number is its place in the
/// order of all.
package struct Segment: Sendable {
    let number: Int64
    /// Bytes of its whole lines.
    var size = 0
    /// What waits in it after its cursor.
    var waiting = Waiting()
    /// Whether another process appends to it: it is left alone.
    var isForeign = false

    package struct Waiting: Sendable, Equatable {
        package internal(set) var events: Int64 = 0
        /// Events that lines say are gone.
        package internal(set) var drops: Int64 = 0
        /// Bytes of all lines.
        package internal(set) var bytes = 0

        mutating func add(_ other: Waiting) {
            events += other.events
            drops += other.drops
            bytes += other.bytes
        }
    }

    /// Counts what waits from `cursor` on.
    mutating func count(_ bytes: [UInt8], from cursor: Int) {
        waiting = Waiting()
        for line in Line.read(bytes, from: cursor) {
            switch line.kind {
            case .resource: continue
            case .event: waiting.events += 1
            case .drops(let count): waiting.drops += count
            case .damaged: waiting.drops += 1
            }
            waiting.bytes += line.range.count
        }
        size = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    }

    /// Counts lines that were appended.
    mutating func add(_ lines: Lines) {
        size += lines.bytes.count
        waiting.bytes += lines.bytes.count
        waiting.events += lines.events
        waiting.drops += lines.drops
    }

    /// The resource of its first line, and where the second one begins; nil where it is damaged.
    static func resource(of bytes: [UInt8]) -> (json: Range<Int>, end: Int)? {
        let end = bytes.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        guard let line = Line.read(bytes, from: 0, to: end).first, line.kind == .resource else {
            return nil
        }
        return (line.text, end)
    }

    static func name(_ number: Int64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits + ".events"
    }

    /// The highest number: none is reached by counting, and the ledger can write those above.
    static let maxNumber: Int64 = 1 << 49

    /// The number in a name; nil for other files.
    static func number(in name: String) -> Int64? {
        guard name.hasSuffix(".events") else { return nil }
        guard let number = Int64(name.dropLast(7)), (1...maxNumber).contains(number),
            self.name(number) == name
        else { return nil }
        return number
    }
}
