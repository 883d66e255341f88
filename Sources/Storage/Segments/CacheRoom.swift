import Synchronization

/// How much room all that is kept for who asks again has, in octets: what it was given at most, and no
/// more than what computes leaves. Of any thread.
package final class CacheRoom: Sendable {
    private let used = Atomic<Int>(0)
    private let left = Atomic<Int>(.max)
    /// What has told how to forget.
    private let forgetters = Mutex<[@Sendable () -> Void]>([])

    /// As much as there is.
    package init() {}

    /// Octets that are kept now.
    package var octets: Int { used.load(ordering: .relaxed) }

    /// From now on so much is left for it: what is kept beyond that is forgotten.
    package func leave(_ octets: Int) {
        left.store(octets, ordering: .relaxed)
        if self.octets > octets { forget() }
    }

    /// Whether so many octets more can be kept.
    func hasRoom(_ octets: Int) -> Bool {
        self.octets + octets <= left.load(ordering: .relaxed)
    }

    /// So many more are kept; or less, below 0.
    func add(_ octets: Int) { used.wrappingAdd(octets, ordering: .relaxed) }

    /// - Parameter action: forgets what was not asked for of late, and all where that is none
    func whenShort(_ action: @escaping @Sendable () -> Void) {
        forgetters.withLock { $0.append(action) }
    }

    private func forget() {
        for action in forgetters.withLock({ $0 }) {
            if octets <= left.load(ordering: .relaxed) { return }
            action()
        }
    }
}
