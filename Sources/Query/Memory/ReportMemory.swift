import Storage
import Synchronization

/// How many bytes all reports of a process hold together while they compute. The caches for reports
/// that ask again shrink first (docs/operation.md, Settings: `report-memory`). Above the limit the
/// largest report of the token that holds the most has to end; all others continue. Any thread may
/// use it.
package final class ReportMemory: Sendable {
    /// The most bytes that reports may hold.
    package let limit: Int
    private let total = Atomic<Int>(0)
    /// The caches for reports that ask again; nil where there are none.
    private let caches: CacheRoom?
    /// Bytes that the caches always keep, so that a client that repeats a report that is too large
    /// does not empty them for the others.
    private let cacheFloor: Int
    /// The sheets of all living accounts. Not weak references to accounts: an object that has a
    /// weak reference counts its strong ones many times slower, and scans pass an account with
    /// every column.
    private let sheets = Mutex<[ReportAccount.Sheet]>([])

    /// - Parameters:
    ///   - limit: the most bytes that reports may hold
    ///   - caches: caches that share the limit, and get what reports leave
    package init(limit: Int, caches: CacheRoom? = nil) {
        self.limit = limit
        self.caches = caches
        cacheFloor = limit / 16
        caches?.leave(limit)
    }

    /// Bytes that reports hold now.
    package var held: Int { total.load(ordering: .relaxed) }

    /// Makes an account for one report.
    /// - Parameter token: the row of the token that asks; nil without one
    package func account(of token: Int64?) -> ReportAccount {
        ReportAccount(of: token, in: self)
    }

    /// Adds the sheet of a new account. For `ReportAccount` alone.
    func keep(_ sheet: ReportAccount.Sheet) { sheets.withLock { $0.append(sheet) } }

    /// Removes the sheet of an account that ends. For `ReportAccount` alone.
    func forget(_ sheet: ReportAccount.Sheet) {
        sheets.withLock { sheets in sheets.removeAll { $0 === sheet } }
    }

    /// Adds bytes that one account holds more; below 0: fewer. For `ReportAccount` alone.
    func add(_ bytes: Int) {
        let now = total.wrappingAdd(bytes, ordering: .relaxed).newValue
        let counted = bytes > 0 && now > limit ? relieve() : now
        caches?.leave(max(limit - counted, cacheFloor))
    }

    /// Marks reports as having to end until the others hold no more than the limit.
    /// - Returns: the bytes that the others hold
    private func relieve() -> Int {
        sheets.withLock { sheets in
            var running = sheets.filter { !$0.isOver }
            var sum = running.reduce(0) { $0 + $1.held }
            while sum > limit, let greatest = Self.greatest(of: running) {
                greatest.end()
                sum -= greatest.held
                running.removeAll { $0 === greatest }
            }
            return sum
        }
    }

    /// The largest sheet of the token that holds the most; nil without sheets.
    private static func greatest(of sheets: [ReportAccount.Sheet]) -> ReportAccount.Sheet? {
        var sums: [Int64?: Int] = [:]
        for sheet in sheets { sums[sheet.token, default: 0] += sheet.held }
        guard let largest = sums.max(by: { $0.value < $1.value }) else { return nil }
        return sheets.filter { $0.token == largest.key }.max { $0.held < $1.held }
    }
}
