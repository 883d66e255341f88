import Database
import Storage

/// The earliest completions of each device and content, and between two cleanups some later ones:
/// the memory grows with how many pairs of device and content there are. Of equally early
/// completions it holds one for each batch.
struct Completions: Sendable {
    /// By device.
    private(set) var shards: DeviceShards<Completion>
    private var count = 0
    private var limit = 1 << 16
    private let account: ReportAccount

    /// Without completions.
    /// - Parameter account: of the report
    init(_ account: ReportAccount) {
        self.account = account
        shards = DeviceShards(account)
    }

    /// Adds a completion. Throws if the report has to end.
    @inline(__always)
    mutating func add(_ completion: Completion, _ reading: Reading) throws(StorageError) {
        shards.append(completion)
        count += 1
        if count >= limit { try thin(reading) }
    }

    @inline(never)
    private mutating func thin(_ reading: Reading) throws(StorageError) {
        try shards.thin(by: Completion.precedes) { kept, next in
            kept.content == next.content && (kept.time != next.time || kept.batch == next.batch)
        } _: { () throws(StorageError) in
            try reading.check()
        }
        count = shards.count
        limit = max(limit, count * 2)
    }

    /// Adds the completions of another.
    /// - Parameter contents: the numbers of contents here, by the other's numbers
    mutating func merge(_ other: Completions, contents: [Int]) {
        shards.merge(other.shards, holding: contents.allocatedBytes) {
            $0.of(contents[Int($0.content)])
        }
    }
}

/// A completion of a content by a device that is not shared.
struct Completion: DeviceKeyed {
    /// Row of the device.
    let device: Int64
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let time: Int64
    /// Row of its batch.
    let batch: Int64
    /// The content's number.
    private(set) var content: Int32
    /// Whether it is in the scope of the question.
    let counts: Bool

    init(device: Int64, content: Int, time: Int64, batch: Int64, counts: Bool) {
        self.device = device
        self.content = Int32(truncatingIfNeeded: content)
        self.time = time
        self.batch = batch
        self.counts = counts
    }

    /// The same completion with another number of its content.
    func of(_ content: Int) -> Completion {
        var completion = self
        completion.content = Int32(truncatingIfNeeded: content)
        return completion
    }

    /// The order of one device's completions: by content, then by time, then by batch.
    static func precedes(_ a: Completion, _ b: Completion) -> Bool {
        if a.content != b.content { return a.content < b.content }
        return a.time != b.time ? a.time < b.time : a.batch < b.batch
    }
}
