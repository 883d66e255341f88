import Storage
import Synchronization

/// Which devices completed which contents, in stored segments whose completions reports have read: eight
/// bytes each. Segments never change, so what was read is right for as long as there is such a segment. Any
/// thread may use it.
final class KnownCompletions: Sendable {
    /// The completions of a segment: of each its device's row, and its content's number in `Known.texts`.
    struct Segment: Sendable {
        let devices: [UInt32]
        let contents: [UInt32]

        fileprivate var allocatedBytes: Int { devices.allocatedBytes + contents.allocatedBytes }
    }

    /// What is known of some segments.
    struct Known: Sendable {
        let segments: [SegmentCache.Segment: Segment]
        /// Texts of contents, of more than these segments.
        let texts: TextCodes
    }

    private struct State {
        var segments: SizedCache<SegmentCache.Segment, Segment>
        var texts = TextCodes()
    }

    private let state: Mutex<State>
    private let capacity: Int
    private let room: CacheRoom

    /// - Parameters:
    ///   - bytes: its capacity; about an eighth of it for texts
    ///   - room: the capacity that it shares with others
    init(bytes: Int = 64 << 20, room: CacheRoom) {
        capacity = bytes
        self.room = room
        state = Mutex(State(segments: SizedCache(bytes: bytes - bytes / 8, room: room)))
        room.whenShort { [weak self] in self?.giveBack() }
    }

    private func giveBack() {
        state.withLock { state in
            state.segments.forget()
            if !room.hasRoom(0) { drop(&state) }
        }
    }

    /// What was made of texts goes with them.
    private func drop(_ state: inout State) {
        let before = state.texts.allocatedBytes
        state.texts = TextCodes()
        state.segments.removeAll()
        room.add(state.texts.allocatedBytes - before)
    }

    /// What is known of those of some segments that were read.
    func known(_ some: [SegmentCache.Segment]) -> Known {
        state.withLock { state in
            var found: [SegmentCache.Segment: Segment] = [:]
            for segment in some { found[segment] = state.segments.value(segment) }
            return Known(segments: found, texts: state.texts)
        }
    }

    /// Keeps the completions of a segment, unless their contents alone are too long.
    /// - Parameters:
    ///   - devices: the row of each one's device
    ///   - subjects: the number of each one's content in the segment
    ///   - texts: by this number, JSON scalars
    func keep(
        _ segment: SegmentCache.Segment, devices: [UInt32], subjects: [Int],
        texts: [ArraySlice<UInt8>]
    ) {
        let maxTextBytes = capacity / 16
        guard Set(subjects).reduce(0, { $0 + texts[$1].count }) <= maxTextBytes else { return }
        state.withLock { state in
            if state.texts.allocatedBytes > maxTextBytes { drop(&state) }
            let before = state.texts.allocatedBytes
            var numbers = [UInt32?](repeating: nil, count: texts.count)
            var contents: [UInt32] = []
            contents.reserveCapacity(subjects.count)
            for subject in subjects {
                if let number = numbers[subject] {
                    contents.append(number)
                    continue
                }
                let text = texts[subject]
                let number = UInt32(truncatingIfNeeded: state.texts.code(ofScalar: text.span))
                numbers[subject] = number
                contents.append(number)
            }
            room.add(state.texts.allocatedBytes - before)
            let kept = Segment(devices: devices, contents: contents)
            state.segments.put(segment, kept, size: kept.allocatedBytes)
        }
    }
}
