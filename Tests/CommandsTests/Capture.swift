import Service
import Synchronization

@testable import Commands

/// Keeps what a command prints.
final class Capture: TextOutput {
    private let octets = Mutex<[UInt8]>([])
    var text: String { octets.withLock { String(decoding: $0, as: UTF8.self) } }
    let isTerminal: Bool
    init(isTerminal: Bool = false) { self.isTerminal = isTerminal }
    func check() throws(AdminFailure) {}
    func write(_ text: String) { write(Array(text.utf8)) }
    func write(_ more: [UInt8]) { octets.withLock { $0 += more } }
}
