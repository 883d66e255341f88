import Dispatch

/// One answer, from another thread.
final class Answer<Value: Sendable>: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var value: Value?

    func set(_ value: Value?) {
        self.value = value
        semaphore.signal()
    }

    func wait() -> Value? {
        semaphore.wait()
        return value
    }
}
