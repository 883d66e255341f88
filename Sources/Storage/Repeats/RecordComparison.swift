import Events

/// The comparison of one batch with those of its device that its times touch, piece by piece.
final class RecordComparison {
    /// What it came to.
    enum Result {
        /// None of its events is stored.
        case new
        /// These alone are not, as indexes in `events`, ascending.
        case partly([Int])
        /// All are. That batch has some of them.
        case known(batch: Int64)
    }

    /// As long as it is the tables' own, what was found holds.
    let epoch: KnownRecords.Epoch
    let device: Int64
    /// The times of its events, milliseconds.
    let span: ClosedRange<Int64>

    /// All batches up to here were in `repeat_key` when it began; those after it are known from memory, and were noted
    /// then. No batch of the device is stored meanwhile, since its app's batches wait in line.
    let reach: Int64
    /// Where the search in `repeat_key` goes on; nil: it is through.
    var next: (digest: Int64, batch: Int64)? = (.min, .min)
    /// Batches whose times it touches.
    var candidates: [Int64] = []
    /// All batches of the device whose records are known one by one, as far as the search has come.
    private(set) var all: [Int64] = []
    /// What all of them have, where the device is one with very many; nil: the candidates are compared.
    var records: DeviceRecords?
    /// The latest time of the device's batches so far.
    var newest = Int64.min
    /// So many of the candidates have been compared, or of all batches been looked at.
    var compared = 0
    /// There are too many for memory.
    var mustCompare = false

    /// The batch whose list is next; nil: none is left.
    var nextBatch: Int64? {
        let batches = records == nil ? candidates : all
        return compared < batches.count ? batches[compared] : nil
    }

    /// Its fingerprints, ascending, each once, and how many of each are stored.
    private var wanted: [UInt64]
    private var stored: [UInt32]
    /// Bit n: a fingerprint that ends in n may be wanted.
    private var filter: [UInt64]
    private var firstMatch: Int64?
    /// Once it is through.
    private(set) var result: Result?
    /// The batch without what is stored; nil where that is none of it, or all.
    private(set) var fresh: AcceptedBatch?

    init(
        _ batch: borrowing AcceptedBatch, device: Int64, span: ClosedRange<Int64>,
        reach: Int64, _ epoch: KnownRecords.Epoch
    ) {
        self.reach = reach
        self.epoch = epoch
        self.device = device
        self.span = span
        var values = batch.fingerprints.map(\.value)
        values.sort()
        wanted = []
        wanted.reserveCapacity(values.count)
        for value in values where wanted.last != value { wanted.append(value) }
        stored = Array(repeating: 0, count: wanted.count)
        var words = 1
        while words * 4 < wanted.count { words *= 2 }
        filter = Array(repeating: 0, count: words)
        for value in wanted {
            filter[Int(value >> 6) & (words - 1)] |= 1 << (value & 63)
        }
    }

    /// Takes a batch of the device into account.
    func note(_ candidate: RecentSpans.Times) {
        all.append(candidate.batch)
        newest = max(newest, candidate.last)
        if candidate.first <= span.upperBound, candidate.last >= span.lowerBound {
            candidates.append(candidate.batch)
        }
    }

    /// Compares with the list of a candidate.
    func compare(_ list: Span<UInt8>, of batch: Int64) {
        FingerprintList.forEach(in: list) { value in
            guard filter[Int(value >> 6) & (filter.count - 1)] >> (value & 63) & 1 == 1 else {
                return
            }
            guard let index = index(of: value) else { return }
            stored[index] += 1
            firstMatch = min(firstMatch ?? batch, batch)
        }
    }

    /// Where a fingerprint stands in `wanted`.
    private func index(of value: UInt64) -> Int? {
        var low = 0
        var high = wanted.count
        while low < high {
            let middle = (low + high) / 2
            if wanted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low < wanted.count && wanted[low] == value ? low : nil
    }

    /// All candidates have been compared, or `records` are whole.
    func end(_ batch: AcceptedBatch) {
        if let records {
            for index in wanted.indices {
                guard let found = records.find(wanted[index]) else { continue }
                stored[index] = found.times
                firstMatch = min(firstMatch ?? found.batch, found.batch)
            }
        }
        let result = judge(batch)
        self.result = result
        guard case .partly(let kept) = result else { return }
        fresh = batch.keeping(kept, rejectingOthersBy: nil).batch
    }

    /// Of n equal records of which m are stored the last n − m are new.
    private func judge(_ batch: borrowing AcceptedBatch) -> Result {
        guard let firstMatch else { return .new }
        var left = stored
        var fresh: [Int] = []
        for index in batch.fingerprints.indices {
            if let known = self.index(of: batch.fingerprints[index].value), left[known] > 0 {
                left[known] -= 1
            } else {
                fresh.append(index)
            }
        }
        return fresh.isEmpty ? .known(batch: firstMatch) : .partly(fresh)
    }
}
