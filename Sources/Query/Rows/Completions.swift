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
        shards.merge(other.shards) { $0.of(contents[Int($0.content)]) }
    }
}
