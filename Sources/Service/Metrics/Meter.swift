import Events
import Synchronization

/// Counts of one thread. Others may add too, it only costs them more: each thread that counts often
/// has one of its own, so that no two fight for a line of the cache. Who reads adds them up.
final class Meter: @unchecked Sendable {
    /// Unused numbers before and after the counts, which keep them off the cache lines of others.
    private static let margin = 16
    private static let size = Layout.size + 2 * margin

    // Atomics have no array: memory of their own, initialised here and released at the end.
    private let cells: UnsafeMutablePointer<Atomic<Int>>

    init() {
        cells = .allocate(capacity: Self.size)
        for index in 0..<Self.size { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: Self.size)
        cells.deallocate()
    }

    /// An answer left.
    func countRequest(_ route: RouteLabel, status: Int) {
        add(1, at: Layout.request(route, StatusLabel.index(of: status)))
    }

    /// - Parameter profile: nil where it is unknown
    func countBatch(_ outcome: BatchOutcome, profile: Profile?, count: Int = 1) {
        add(count, at: Layout.batch(outcome, profile))
    }

    /// A batch is on disk for the first time.
    func countEvents(accepted: Int, rejected: [RejectionCount]) {
        add(accepted, at: Layout.acceptedEvents)
        for entry in rejected { add(entry.count, at: Layout.rejectedEvents(entry.code)) }
    }

    func value(at index: Int) -> Int { cells[Self.margin + index].load(ordering: .relaxed) }

    private func add(_ count: Int, at index: Int) {
        cells[Self.margin + index].add(count, ordering: .relaxed)
    }
}

extension Meter {
    /// Where each count is.
    enum Layout {
        static let profiles: [Profile?] = Profile.allCases.map { $0 } + [nil]
        static let codes = EventRule.codes
        static let requests = RouteLabel.allCases.count * StatusLabel.texts.count
        static let batches = profiles.count * BatchOutcome.all.count
        static let acceptedEvents = requests + batches
        static let size = acceptedEvents + 1 + codes.count

        static func request(_ route: RouteLabel, _ status: Int) -> Int {
            route.rawValue * StatusLabel.texts.count + status
        }

        static func batch(_ outcome: BatchOutcome, _ profile: Profile?) -> Int {
            let row = profile.map { Int($0.rawValue) - 1 } ?? profiles.count - 1
            return requests + row * BatchOutcome.all.count + outcome.index
        }

        static func rejectedEvents(_ code: String) -> Int {
            acceptedEvents + 1 + (codes.firstIndex(of: code) ?? 0)
        }
    }
}
