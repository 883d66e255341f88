import Columns
import Database

/// Batches of an app that may have events on some days, one by one in the order of their rows. Batches are found by their
/// times, and may be millions: so the numbers of the next ones are read together, and no statement is open between two
/// calls.
struct DayBatches {
    /// So many numbers are kept. Twice as many while they are read, and room for these: 16 MB.
    private static let capacity = 1 << 20

    private let app: Int64
    /// Days since 1970-01-01, UTC, in order.
    let days: [Int64]
    private let last: Int64
    private let capacity: Int
    private var numbers: [Int64] = []
    /// Of the next one.
    private var index = 0
    /// All up to here have been in `numbers`.
    private var reached: Int64 = 0
    private var isMore = true

    /// - Parameter last: the last one that counts
    init(of app: Int64, days: [Int64], upTo last: Int64, capacity: Int = capacity) {
        (self.app, self.days, self.last, self.capacity) = (app, days, last, max(capacity, 1))
    }

    /// The number of the next one; nil after the last.
    mutating func next(_ connection: Connection) throws(StorageError) -> Int64? {
        if index == numbers.count, isMore { try read(connection) }
        guard index < numbers.count else { return nil }
        defer { index += 1 }
        return numbers[index]
    }

    /// Reads the numbers of those that come next.
    private mutating func read(_ connection: Connection) throws(StorageError) {
        (index, isMore) = (0, false)
        numbers.removeAll(keepingCapacity: true)
        guard let first = days.first.flatMap(Segment.window(ofDay:)),
            let end = days.last.flatMap(Segment.window(ofDay:))
        else { return }
        let batches = try connection.prepare(
            "SELECT id FROM (\(BatchWindow.select)) WHERE id > ?8 AND id <= ?9")
        try batches.bind(app: app, window: first.lowerBound..<end.upperBound)
        try batches.bind(8, reached)
        try batches.bind(9, last)
        while try batches.step() {
            numbers.append(batches.int(0))
            if numbers.count >= 2 * capacity { keepLeast() }
        }
        keepLeast()
        reached = numbers.last ?? last
    }

    private mutating func keepLeast() {
        numbers.sort()
        guard numbers.count > capacity else { return }
        numbers.removeLast(numbers.count - capacity)
        isMore = true
    }
}
