import Dispatch
import Foundation
import Synchronization

/// What a server has logged so far.
final class ServerLog: Sendable {
    private let lines = Mutex("")
    private let grown = DispatchSemaphore(value: 0)

    var text: String { lines.withLock { $0 } }

    func clear() { lines.withLock { $0 = "" } }

    func append(_ piece: Data) {
        lines.withLock { $0 += String(decoding: piece, as: UTF8.self) }
        grown.signal()
    }

    /// False when the deadline has passed.
    func waitForMore(until deadline: DispatchTime) -> Bool {
        grown.wait(timeout: deadline) == .success
    }
}
