import Synchronization

/// Columns of segments that were read of late, by the segment's row and checksum: a row's number may be
/// used again. Of any thread. When the younger half of the room is full the
/// older half is forgotten.
package final class SegmentCache: Sendable {
    /// Which segment.
    struct Segment: Hashable {
        let row: Int64
        let checksum: Int64
    }

    private struct Key: Hashable {
        let segment: Segment
        let column: Int32
    }

    private struct State {
        var young: [Key: [UInt8]] = [:]
        var old: [Key: [UInt8]] = [:]
        /// Octets of the young ones, about.
        var size = 0
    }

    private let half: Int
    private let state = Mutex(State())

    /// - Parameter octets: how many it holds at most
    package init(octets: Int = 128 << 20) { half = octets / 2 }

    /// A column; nil where it was not read of late.
    func column(_ column: Int32, of segment: Segment) -> [UInt8]? {
        let key = Key(segment: segment, column: column)
        return state.withLock { state in
            if let octets = state.young[key] { return octets }
            guard let octets = state.old.removeValue(forKey: key) else { return nil }
            put(octets, key, &state)
            return octets
        }
    }

    /// Keeps a column for a while.
    func put(_ octets: [UInt8], column: Int32, of segment: Segment) {
        state.withLock { put(octets, Key(segment: segment, column: column), &$0) }
    }

    private func put(_ octets: [UInt8], _ key: Key, _ state: inout State) {
        // What an entry takes besides its octets.
        let size = octets.count + 96
        if size > half { return }
        if state.size + size > half {
            state.old = state.young
            state.young = [:]
            state.size = 0
        }
        if state.young.updateValue(octets, forKey: key) == nil { state.size += size }
    }
}
