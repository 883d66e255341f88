import Foundation

/// A value behind a lock.
final class Locked<Value>: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var value: Value

    init(_ value: Value) { self.value = value }

    func use<R>(_ body: (inout Value) -> R) -> R {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
