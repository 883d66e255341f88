import Database
import Storage

/// Completions of which the earliest of each device and content are kept, and at times some more: memory
/// follows how many of these there are. Of equally early ones one a batch is kept.
struct Completions: Sendable {
    /// By device.
    private(set) var shards: DeviceShards<Completion>
    private var count = 0
    private var limit = 1 << 16
    private let account: ReportAccount

    /// None yet.
    /// - Parameter account: of the report
    init(_ account: ReportAccount) {
        self.account = account
        shards = DeviceShards(account)
    }

    /// Throws if the report is to end.
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

    /// Adds those of another.
    /// - Parameter contents: by the other's numbers of contents, those here
    mutating func merge(_ other: Completions, contents: [Int]) {
        shards.merge(other.shards, holding: contents.allocatedBytes) {
            $0.of(contents[Int($0.content)])
        }
    }
}

/// That a device, which is not shared, completed a content.
struct Completion: DeviceKeyed {
    /// Row of the device.
    let device: Int64
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let time: Int64
    /// Row of its batch.
    let batch: Int64
    /// The content's number.
    private(set) var content: Int32
    /// The question is about it.
    let counts: Bool

    init(device: Int64, content: Int, time: Int64, batch: Int64, counts: Bool) {
        self.device = device
        self.content = Int32(truncatingIfNeeded: content)
        self.time = time
        self.batch = batch
        self.counts = counts
    }

    /// The same under another number of its content.
    func of(_ content: Int) -> Completion {
        var completion = self
        completion.content = Int32(truncatingIfNeeded: content)
        return completion
    }

    /// Of one device by content, the earliest first, and by batch.
    static func precedes(_ a: Completion, _ b: Completion) -> Bool {
        if a.content != b.content { return a.content < b.content }
        return a.time != b.time ? a.time < b.time : a.batch < b.batch
    }
}
