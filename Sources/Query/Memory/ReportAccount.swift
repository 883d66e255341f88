import Database
import Storage
import Synchronization

/// What one report holds, in octets of capacity: its collections tell it of each piece of memory that
/// they take (`HeldBytes`). Of any thread.
package final class ReportAccount: MemoryAccount {
    /// The token's row; nil where it is nobody's.
    package let token: Int64?
    private let memory: ReportMemory?
    private let sheet: Sheet
    private let most = Atomic<Int>(0)

    /// What `ReportMemory` looks at, which keeps it as long as there is the account.
    final class Sheet: Sendable {
        let token: Int64?
        let octets = Atomic<Int>(0)
        let over = Atomic<Bool>(false)

        init(of token: Int64?) { self.token = token }

        /// Octets that the report holds now.
        var held: Int { octets.load(ordering: .relaxed) }
        var isOver: Bool { over.load(ordering: .relaxed) }
        /// The report has to end.
        func end() { over.store(true, ordering: .relaxed) }
    }

    /// One for which `ReportMemory` looks.
    init(of token: Int64?, in memory: ReportMemory?) {
        self.token = token
        self.memory = memory
        sheet = Sheet(of: token)
        memory?.keep(sheet)
    }

    /// One that may hold whatever it likes, as a command's report does, which is alone in its process.
    package static var unbounded: ReportAccount { ReportAccount(of: nil, in: nil) }

    deinit { memory?.forget(sheet) }

    /// Octets that it holds now.
    package var held: Int { sheet.held }

    /// The most that it has held so far.
    package var greatest: Int { most.load(ordering: .relaxed) }

    /// Whether the report is to end for what it holds: it looks at this wherever it looks whether it
    /// was interrupted.
    package var isOver: Bool { sheet.isOver }

    /// Throws if the report is to end for what it holds.
    func check() throws(StorageError) {
        if isOver { throw .interrupted(path: "the answer") }
    }

    /// It holds so many octets more; or less, below 0.
    package func add(_ octets: Int) {
        if octets == 0 { return }
        let now = sheet.octets.wrappingAdd(octets, ordering: .relaxed).newValue
        if octets > 0 { most.max(now, ordering: .relaxed) }
        memory?.add(octets)
    }
}
