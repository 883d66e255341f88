import Storage
import Synchronization

/// What all reports of a process hold while they compute, together, in octets of capacity; and with it
/// what is kept in memory for reports that ask again, which gives way first (docs/operation.md,
/// Settings: `report-memory`). Beyond the limit the report that holds most, of the token that holds
/// most, has to end; all others go on. Of any thread.
package final class ReportMemory: Sendable {
    /// Octets at most.
    package let limit: Int
    private let total = Atomic<Int>(0)
    /// What is kept for who asks again; nil where nothing is.
    private let caches: CacheRoom?
    /// Bytes that the caches keep in any case, so that a client that asks for what is too large again and
    /// again leaves some to the others.
    private let cacheFloor: Int
    /// Of those that are alive. Not weak references: an object that has one counts its others many times
    /// slower, and scans pass an account on with every column.
    private let sheets = Mutex<[ReportAccount.Sheet]>([])

    /// - Parameters:
    ///   - limit: octets at most
    ///   - caches: what has room only as far as reports leave some
    package init(limit: Int, caches: CacheRoom? = nil) {
        self.limit = limit
        self.caches = caches
        cacheFloor = limit / 16
        caches?.leave(limit)
    }

    /// What reports hold now, in octets.
    package var held: Int { total.load(ordering: .relaxed) }

    /// An account for one report.
    /// - Parameter token: whose report it is, by the token's row; nil where nobody's
    package func account(of token: Int64?) -> ReportAccount {
        ReportAccount(of: token, in: self)
    }

    /// For `ReportAccount` alone: there is one more.
    func keep(_ sheet: ReportAccount.Sheet) { sheets.withLock { $0.append(sheet) } }

    /// For `ReportAccount` alone: it is about to be gone.
    func forget(_ sheet: ReportAccount.Sheet) {
        sheets.withLock { sheets in sheets.removeAll { $0 === sheet } }
    }

    /// For `ReportAccount` alone: one of them holds so much more, or less.
    func add(_ octets: Int) {
        let now = total.wrappingAdd(octets, ordering: .relaxed).newValue
        let counted = octets > 0 && now > limit ? relieve() : now
        caches?.leave(max(limit - counted, cacheFloor))
    }

    /// Marks reports until those that are left hold no more than there may be.
    /// - Returns: what these hold
    private func relieve() -> Int {
        sheets.withLock { sheets in
            var going = sheets.filter { !$0.isOver }
            var left = going.reduce(0) { $0 + $1.held }
            while left > limit, let greatest = Self.greatest(of: going) {
                greatest.end()
                left -= greatest.held
                going.removeAll { $0 === greatest }
            }
            return left
        }
    }

    /// The one that holds most, of the token that holds most.
    private static func greatest(of sheets: [ReportAccount.Sheet]) -> ReportAccount.Sheet? {
        var sums: [Int64?: Int] = [:]
        for sheet in sheets { sums[sheet.token, default: 0] += sheet.held }
        guard let most = sums.max(by: { $0.value < $1.value }) else { return nil }
        return sheets.filter { $0.token == most.key }.max { $0.held < $1.held }
    }
}
