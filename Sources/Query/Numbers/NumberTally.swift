import Database
import JSON
import Storage

/// Counts the numbers that the events of one segment have, by group, before they go to `NumberGroups`: most come
/// many times in a segment, and the text of each is read only once there.
struct NumberTally {
    /// Those of the segment that were read.
    private var numbers: [Double] = []
    /// How many there are in the segment at most.
    private var most = 0
    /// How often each came: `most` for each slot.
    private var counts: [UInt32] = []
    /// By slot: its group.
    private var groups: [Int] = []
    /// By group: 1 + its slot; 0 where it has none.
    private var slots: [UInt32] = []
    private var held: HeldBytes

    /// So many counts at most: where there are more, numbers of further groups are added one by one.
    private static let mostCounts = 1 << 17

    /// Of no segment yet.
    init(_ account: ReportAccount) { held = HeldBytes(account) }

    /// Begins with a segment in which so many texts stand for numbers at most.
    mutating func begin(most: Int, _ all: inout NumberGroups) {
        end(&all)
        self.most = most
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
        if group < slots.count, slots[group] > 0 {
            counts[(Int(slots[group]) &- 1) &* most &+ index] &+= 1
        } else {
            addFirst(index, to: group, &all)
        }
    }

    @inline(never)
    private mutating func addFirst(_ index: Int, to group: Int, _ all: inout NumberGroups) {
        guard counts.count + most <= Self.mostCounts else {
            return all.add(numbers[index], to: group)
        }
        if group >= slots.count {
            let more = group + 1 - slots.count
            if group >= slots.capacity { slots.grow(more, &held) }
            slots += repeatElement(0, count: more)
        }
        groups.append(group, &held)
        slots[group] = UInt32(groups.count)
        if counts.count + most > counts.capacity { counts.grow(most, &held) }
        counts += repeatElement(0, count: most)
        counts[counts.count - most + index] += 1
    }

    /// Hands on what it has counted.
    mutating func end(_ all: inout NumberGroups) {
        for (slot, group) in groups.enumerated() {
            for (index, number) in numbers.enumerated() {
                let count = counts[slot * most + index]
                if count > 0 { all.add(number, times: count, to: group) }
            }
            slots[group] = 0
        }
        numbers.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        groups.removeAll(keepingCapacity: true)
    }
}
