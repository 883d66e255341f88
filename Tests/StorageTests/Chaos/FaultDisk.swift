import CFaultVFS
import Foundation

@testable import Database
@testable import Storage

/// The files of one folder as the fault VFS sees them: a tape of all that SQLite does to them, and
/// faults on order. Watches from its making until it goes.
final class FaultDisk: @unchecked Sendable {
    /// How an operation fails.
    enum Fault: CaseIterable {
        case eio, enospc, short, erofs
        /// A sync that says it worked.
        case lie

        fileprivate var code: Int32 {
            switch self {
            case .eio: Int32(FAULTVFS_EIO)
            case .enospc: Int32(FAULTVFS_ENOSPC)
            case .short: Int32(FAULTVFS_SHORT)
            case .erofs: Int32(FAULTVFS_EROFS)
            case .lie: Int32(FAULTVFS_LIE)
            }
        }
    }

    /// Kinds of operations, for `fail`.
    struct Kinds: OptionSet {
        let rawValue: Int32
        static let opens = Kinds(rawValue: Int32(FAULTVFS_OPEN))
        static let writes = Kinds(rawValue: Int32(FAULTVFS_WRITE))
        static let truncates = Kinds(rawValue: Int32(FAULTVFS_TRUNCATE))
        static let syncs = Kinds(rawValue: Int32(FAULTVFS_SYNC))
        static let deletes = Kinds(rawValue: Int32(FAULTVFS_DELETE))
        static let reads = Kinds(rawValue: Int32(FAULTVFS_READ))
        static let shared = Kinds(rawValue: Int32(FAULTVFS_SHARE))
        /// All that changes files, and opening them.
        static let changes = Kinds(rawValue: Int32(FAULTVFS_CHANGES))
    }

    private let rig: OpaquePointer

    /// - Parameter folder: without a slash at its end; need not be there yet.
    init(_ folder: String) {
        // The product's own settings of the library first: it would find it in use else.
        SQLiteLibrary.prepare()
        precondition(faultvfs_register() == 0, "SQLite takes no VFS")
        // SQLite knows files by their real names.
        rig = faultvfs_watch(URL(filePath: folder).resolvingSymlinksInPath().path)
    }

    deinit { faultvfs_unwatch(rig) }

    /// Puts a line of the test's own on the tape.
    func mark(_ number: Int) { faultvfs_mark(rig, Int64(number)) }

    /// From the `first` operation of these kinds on, counted from now and from 1, `times` fail.
    func fail(_ fault: Fault, _ kinds: Kinds = .changes, first: Int = 1, times: Int = .max) {
        faultvfs_plan(rig, fault.code, kinds.rawValue, Int64(first), Int64(times))
    }

    /// No more faults; operations of these kinds are counted.
    func count(_ kinds: Kinds = .changes) { faultvfs_plan(rig, 0, kinds.rawValue, .max, 0) }

    /// Operations that were made to fail since the last plan.
    var failed: Int { Int(faultvfs_failed(rig)) }

    /// Operations of the plan's kinds since it was made.
    var seen: Int { Int(faultvfs_seen(rig)) }

    /// All that has happened since the watch began.
    func tape() -> [TapeRecord] {
        (0..<faultvfs_count(rig)).map { TapeRecord(faultvfs_at(rig, $0), in: rig) }
    }
}
