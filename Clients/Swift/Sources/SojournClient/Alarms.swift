import Foundation

/// Moments at which something is to happen on the client's queue. `asyncAfter` may be late by a tenth, which
/// is half a second of a budget of five: so a long wait is made of shorter ones, the last below 20 ms.
final class Alarms {
    /// Below this nobody minds a tenth.
    private static let fine: Int64 = 20_000_000

    private let queue: DispatchQueue
    private var pending: [Int: DispatchWorkItem] = [:]
    private var counter = 0

    /// - Parameter queue: On which all of this is used.
    init(queue: DispatchQueue) { self.queue = queue }

    /// Calls `body` at a moment (ns of the monotonic clock), at once if it is past.
    /// - Returns: the number with which it can be called off.
    @discardableResult
    func set(at moment: Int64, _ body: @escaping @Sendable () -> Void) -> Int {
        counter += 1
        wait(counter, moment, body)
        return counter
    }

    func cancel(_ number: Int) { pending.removeValue(forKey: number)?.cancel() }

    private func wait(_ number: Int, _ moment: Int64, _ body: @escaping @Sendable () -> Void) {
        let rest = max(0, moment - Clock.monotonic())
        let step = rest > Self.fine ? rest / 11 * 10 : rest
        let item = DispatchWorkItem { [self] in
            guard pending[number] != nil else { return }
            guard moment - Clock.monotonic() <= 0 else { return wait(number, moment, body) }
            pending[number] = nil
            body()
        }
        pending[number] = item
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(step)), execute: item)
    }
}
