import Database
import JSON
import Storage

/// Counts the numbers that the events of one segment have, by group, before they go to
/// `NumberGroups`: most come many times in a segment, and the text of each is read only once there.
struct NumberTally {
    /// Those of the segment that were read.
    private var numbers: [Double] = []
    /// How many different ones the segment has at most.
    private var width = 0
    /// How many counts there may be: beyond twice the events most would be 0.
    private var capacity = 0
    /// How often each came: `width` for each slot.
    private var counts: [UInt32] = []
    /// By slot: its group.
    private var groups: [Int] = []
    /// By group: where its counts begin; below 0 where it has none.
    private var starts: [Int32] = []
    private var held: HeldBytes

    private static let maxCounts = 1 << 18

    /// Of no segment yet.
    init(_ account: ReportAccount) { held = HeldBytes(account) }

    /// Begins with a segment that has so many events, and so many texts that may be numbers.
    mutating func begin(events: Int, texts: Int, _ all: inout NumberGroups) {
        end(&all)
        width = texts
        capacity = min(2 * events, Self.maxCounts)
    }

    /// The index of the number that a JSON scalar says; −1 for what is none.
    mutating func index(of text: Span<UInt8>) -> Int {
        guard let number = DecimalForm.double(text) else { return -1 }
        numbers.append(number, &held)
        return numbers.count - 1
    }

    /// Counts a number, by its index.
    @inline(__always)
    mutating func add(_ index: Int, to group: Int, _ all: inout NumberGroups) {
        if group < starts.count, starts[group] >= 0 {
            counts[Int(starts[group]) &+ index] &+= 1
        } else {
            addFirst(index, to: group, &all)
        }
    }

    @inline(never)
    private mutating func addFirst(_ index: Int, to group: Int, _ all: inout NumberGroups) {
        guard counts.count + width <= capacity else { return all.add(numbers[index], to: group) }
        starts.append(repeating: -1, group + 1 - starts.count, &held)
        groups.append(group, &held)
        starts[group] = Int32(counts.count)
        counts.append(repeating: 0, width, &held)
        counts[counts.count - width + index] += 1
    }

    /// Hands on what it has counted.
    mutating func end(_ all: inout NumberGroups) {
        for group in groups {
            let start = Int(starts[group])
            for (index, number) in numbers.enumerated() {
                let count = counts[start + index]
                if count > 0 { all.add(number, times: count, to: group) }
            }
            starts[group] = -1
        }
        numbers.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        groups.removeAll(keepingCapacity: true)
    }
}
