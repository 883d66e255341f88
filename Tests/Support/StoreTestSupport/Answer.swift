import Dispatch

/// One answer, from another thread.
package final class Answer<Value: Sendable>: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var value: Value?

    /// One that is not there yet.
    package init() {}

    /// Sets it and lets `wait` go on.
    package func set(_ value: Value?) {
        self.value = value
        semaphore.signal()
    }

    /// Waits until it is set.
    package func wait() -> Value? {
        semaphore.wait()
        return value
    }
}
