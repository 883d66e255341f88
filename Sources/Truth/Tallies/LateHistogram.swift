/// How late events came: how many in each two seconds, for lateness of months too.
struct LateHistogram: Sendable {
    /// Milliseconds of a bin.
    private static let binLength: Int64 = 2000
    private static let chunkLength = 4096

    /// Counts of bins that follow each other, by the number of the first ÷ `chunkLength`.
    private var chunks: [Int: [UInt32]] = [:]
    private var count = 0

    /// - Parameter late: milliseconds; negative for what lies ahead of time
    mutating func insert(_ late: Int64) {
        let bin = Self.floor(Int(late), Int(Self.binLength))
        let chunk = Self.floor(bin, Self.chunkLength)
        chunks[chunk, default: Array(repeating: 0, count: Self.chunkLength)][
            bin - chunk * Self.chunkLength] += 1
        count += 1
    }

    mutating func merge(_ other: LateHistogram) {
        count += other.count
        for (chunk, counts) in other.chunks {
            if chunks[chunk] == nil {
                chunks[chunk] = counts
            } else {
                for (bin, count) in counts.enumerated() { chunks[chunk]?[bin] += count }
            }
        }
    }

    /// Between which seconds a nearest-rank percentile lies; nil of nothing.
    func percentile(_ percent: Int) -> ClosedRange<Int>? {
        guard let rank = Decimals.rank(percent, of: count) else { return nil }
        let seconds = Int(Self.binLength / 1000)
        var passed = 0
        for (chunk, counts) in chunks.sorted(by: { $0.key < $1.key }) {
            for (bin, count) in counts.enumerated() {
                passed += Int(count)
                guard passed > rank else { continue }
                let start = (chunk * Self.chunkLength + bin) * seconds
                return start...start + seconds
            }
        }
        return nil
    }

    private static func floor(_ a: Int, _ b: Int) -> Int { a >= 0 ? a / b : (a + 1) / b - 1 }
}
