import Database
import Storage
import Synchronization

/// How many bytes one report holds: its collections charge it for the memory they allocate
/// (`HeldBytes`). Any thread may use it.
package final class ReportAccount: MemoryAccount {
    /// The token's row; nil where it is nobody's.
    package let token: Int64?
    private let memory: ReportMemory?
    private let sheet: Sheet
    private let maximum = Atomic<Int>(0)

    /// The part of an account that `ReportMemory` reads; it holds on to it as long as the account
    /// lives.
    final class Sheet: Sendable {
        let token: Int64?
        let bytes = Atomic<Int>(0)
        let over = Atomic<Bool>(false)

        init(of token: Int64?) { self.token = token }

        /// Bytes that the report holds now.
        var held: Int { bytes.load(ordering: .relaxed) }
        var isOver: Bool { over.load(ordering: .relaxed) }
        /// Marks the report as one that has to end.
        func end() { over.store(true, ordering: .relaxed) }
    }

    /// An account that counts towards the limit of `memory`.
    init(of token: Int64?, in memory: ReportMemory?) {
        self.token = token
        self.memory = memory
        sheet = Sheet(of: token)
        memory?.keep(sheet)
    }

    /// An account without a limit: for a command's report, which is alone in its process.
    package static var unbounded: ReportAccount { ReportAccount(of: nil, in: nil) }

    deinit { memory?.forget(sheet) }

    /// Bytes that the report holds now.
    package var held: Int { sheet.held }

    /// The most bytes that the report has held so far.
    package var greatest: Int { maximum.load(ordering: .relaxed) }

    /// Bytes that reports may still hold together; without a limit the greatest number.
    var room: Int { memory.map { max($0.limit - $0.held, 0) } ?? .max }

    /// Whether the report has to end because it holds too much: it checks this wherever it checks
    /// whether it was interrupted.
    package var isOver: Bool { sheet.isOver }

    /// Throws if the report has to end because it holds too much.
    func check() throws(StorageError) {
        if isOver { throw .interrupted(path: "the answer") }
    }

    /// Adds bytes that the report holds more; below 0: fewer.
    package func add(_ bytes: Int) {
        if bytes == 0 { return }
        let now = sheet.bytes.wrappingAdd(bytes, ordering: .relaxed).newValue
        if bytes > 0 { maximum.max(now, ordering: .relaxed) }
        memory?.add(bytes)
    }
}
