import Columns

/// The session ids of one batch, as they were sent.
struct SessionTexts: ~Copyable {
    /// One after another.
    private(set) var texts: [UInt8] = []
    private var ranges: [Range<Int>] = []
    private var scalars = JSONScalars()

    /// - Parameter list: as `batch.sessions` has it
    /// - Returns: false where it is no list
    mutating func read(_ list: Span<UInt8>) -> Bool {
        ranges.removeAll(keepingCapacity: true)
        texts.removeAll(keepingCapacity: true)
        if list.isEmpty { return true }
        var walk = ArrayElements.Walk(.bracketed)
        while true {
            switch walk.next(in: list) {
            case .end: return true
            case .broken: return false
            case .element(let range):
                let start = texts.count
                guard scalars.append(list.extracting(range), to: &texts) else { return false }
                ranges.append(start..<texts.count)
            }
        }
    }

    /// Where in `texts` one stands; an empty range for none, nil where the batch does not have it.
    func range(_ index: Int64?) -> Range<Int>? {
        guard let index else { return 0..<0 }
        guard let index = Int(exactly: index), ranges.indices.contains(index) else { return nil }
        return ranges[index]
    }
}
