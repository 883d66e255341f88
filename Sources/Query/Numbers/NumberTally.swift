import Columns
import Database
import JSON
import Storage

/// Counts the numbers that the events of one segment have, by group, before they go to
/// `NumberGroups`: most come many times in a segment, and the text of each is read only once there.
struct NumberTally {
    /// What a text is, as far as anybody has looked.
    private enum Kind: UInt8 {
        case unknown, number, other
    }

    /// The segment's texts.
    private var column: AttributeColumn?
    /// By code, of which 0 stands for no text.
    private var kinds: [Kind] = []
    /// By code.
    private var numbers: [Double] = []
    /// How many counts there may be: beyond twice the events most would be 0.
    private var capacity = 0
    /// How often each code came: as many as there are codes for each group that has some.
    private var counts: [UInt32] = []
    /// Of these groups.
    private var groups: [Int] = []
    /// By group: where its counts begin; below 0 where it has none.
    private var starts: [Int32] = []
    private var held: HeldBytes

    private static let maxCounts = 1 << 18

    /// Of no segment yet.
    init(_ account: ReportAccount) { held = HeldBytes(account) }

    /// Begins with a segment's texts.
    mutating func begin(_ column: AttributeColumn, _ all: inout NumberGroups) {
        end(&all)
        self.column = column
        capacity = min(2 * column.eventCount, Self.maxCounts)
        if numbers.capacity < column.count { numbers.grow(column.count, &held) }
        numbers.append(0)
        let isKnown = column.appendDecimals(to: &numbers)
        if !isKnown { numbers.append(repeating: 0, column.count - 1, &held) }
        kinds.append(repeating: isKnown ? .number : .unknown, column.count, &held)
        kinds[0] = .other
    }

    /// How many of the texts are numbers, by their codes.
    @inline(__always)
    mutating func count(_ codes: Span<Int32>) -> Int {
        var count = 0
        for index in codes.indices {
            let code = Int(codes[index])
            if kinds[code] == .unknown { look(at: code) }
            if kinds[code] == .number { count &+= 1 }
        }
        return count
    }

    @inline(never)
    private mutating func look(at code: Int) {
        kinds[code] = .other
        guard let number = column?.withText(code, { DecimalForm.double($0) }) ?? nil else { return }
        kinds[code] = .number
        numbers[code] = number
    }

    /// Adds the numbers among texts that were counted to a group.
    @inline(__always)
    mutating func add(_ codes: Span<Int32>, to group: Int, _ all: inout NumberGroups) {
        guard group < starts.count && starts[group] >= 0 || begin(group) else {
            for index in codes.indices where kinds[Int(codes[index])] == .number {
                all.add(numbers[Int(codes[index])], to: group)
            }
            return
        }
        let start = Int(starts[group])
        // Those that are no numbers are counted too, and not handed on.
        for index in codes.indices { counts[start &+ Int(codes[index])] &+= 1 }
    }

    /// Makes room for a group's counts.
    /// - Returns: false where there is none
    @inline(never)
    private mutating func begin(_ group: Int) -> Bool {
        guard counts.count + kinds.count <= capacity else { return false }
        starts.append(repeating: -1, group + 1 - starts.count, &held)
        groups.append(group, &held)
        starts[group] = Int32(counts.count)
        counts.append(repeating: 0, kinds.count, &held)
        return true
    }

    /// Hands on what it has counted.
    mutating func end(_ all: inout NumberGroups) {
        for group in groups {
            let start = Int(starts[group])
            for code in kinds.indices where kinds[code] == .number {
                let count = counts[start + code]
                if count > 0 { all.add(numbers[code], times: count, to: group) }
            }
            starts[group] = -1
        }
        kinds.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        groups.removeAll(keepingCapacity: true)
    }
}
