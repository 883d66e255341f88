import Synchronization

/// A loop's incomplete requests that hold memory, in the order in which they began: the first has to
/// make room for the others.
struct ComingRequests {
    /// A request that holds more bytes makes room before all others do (docs/operation.md, `max-buffered-bytes`).
    static let largeBytes = 64 << 10

    /// Of one request.
    struct Entry: Equatable {
        /// When its first byte came, nanoseconds of the monotonic clock.
        var begunAt: Int64
        /// It holds more than `largeBytes`.
        var isLarge: Bool
    }

    private struct Position {
        var begunAt: Int64
        var address: ConnectionAddress
    }

    private var small: [Position] = []
    private var large: [Position] = []

    /// When the oldest large request began, or the oldest small one; nil if there is none.
    func eldest(isLarge: Bool) -> Int64? { (isLarge ? large : small).first?.begunAt }

    /// The connection that has to make room first.
    var first: ConnectionAddress? { (large.first ?? small.first)?.address }

    mutating func insert(_ entry: Entry, _ address: ConnectionAddress) {
        if entry.isLarge {
            Self.insert(entry.begunAt, address, into: &large)
        } else {
            Self.insert(entry.begunAt, address, into: &small)
        }
    }

    mutating func remove(_ entry: Entry, _ address: ConnectionAddress) {
        if entry.isLarge {
            Self.remove(entry.begunAt, address, from: &large)
        } else {
            Self.remove(entry.begunAt, address, from: &small)
        }
    }

    /// Inserts after those that began at the same moment, nearly always at the end.
    private static func insert(
        _ begunAt: Int64, _ address: ConnectionAddress, into positions: inout [Position]
    ) {
        let position = Position(begunAt: begunAt, address: address)
        guard let last = positions.last, last.begunAt > begunAt else {
            return positions.append(position)
        }
        positions.insert(position, at: index(in: positions) { $0.begunAt > begunAt })
    }

    private static func remove(
        _ begunAt: Int64, _ address: ConnectionAddress, from positions: inout [Position]
    ) {
        var index = index(in: positions) { $0.begunAt >= begunAt }
        while index < positions.count, positions[index].begunAt == begunAt {
            if positions[index].address == address {
                positions.remove(at: index)
                return
            }
            index += 1
        }
    }

    /// The first index from which `isAfter` holds.
    private static func index(in positions: [Position], _ isAfter: (Position) -> Bool) -> Int {
        var low = 0
        var high = positions.count
        while low < high {
            let middle = (low + high) / 2
            if isAfter(positions[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// What other loops see of a loop's incomplete requests.
final class ComingRequestsView: Sendable {
    /// There is no such request.
    static let none = Int64.max
    private let large = Atomic<Int64>(ComingRequestsView.none)
    private let small = Atomic<Int64>(ComingRequestsView.none)

    /// When the oldest large request began, or the oldest small one; `none` without any.
    func eldest(isLarge: Bool) -> Int64 {
        isLarge ? large.load(ordering: .relaxed) : small.load(ordering: .relaxed)
    }

    /// Call this on the loop's thread after each change.
    func publish(_ requests: borrowing ComingRequests) {
        large.store(requests.eldest(isLarge: true) ?? Self.none, ordering: .relaxed)
        small.store(requests.eldest(isLarge: false) ?? Self.none, ordering: .relaxed)
    }
}
