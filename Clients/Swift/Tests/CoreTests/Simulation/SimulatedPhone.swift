@testable import Core

/// What a machine runs in: a clock that is moved by hand, random numbers that are always the same, and a
/// network to a simulated server.
final class SimulatedPhone: Surroundings {
    typealias Folder = MemoryDisk

    /// What lies between phones and the server.
    final class Network {
        struct Request {
            let phone: SimulatedPhone
            let attempt: Int
            let body: [UInt8]
            var isCancelled = false
        }

        var requests: [Request] = []
        let server: SimulatedServer
        /// Nanoseconds of the monotonic clock of all phones.
        var monotonic: Int64 = 0

        init(_ server: SimulatedServer) { self.server = server }
    }

    let process: SimulatedProcess
    let network: Network
    /// Nanoseconds.
    var monotonic: Int64 { network.monotonic }
    /// The device's clock, ms since 1970.
    var wall: Int64 { Self.epoch + monotonic / 1_000_000 }
    /// Bytes of a batch's text at most.
    var capacity = 65_535
    /// Called with each body that is posted.
    var posting: ([UInt8]) -> Void = { _ in }
    private(set) var lines: [String] = []
    private var draws: SplitMix

    private static let epoch: Int64 = 1_760_000_000_000

    init(_ process: SimulatedProcess, _ network: Network, seed: UInt64) {
        self.process = process
        self.network = network
        draws = SplitMix(seed: seed)
    }

    func random() -> UInt64 { draws.next() }

    func excess(of text: [UInt8]) -> Double { Double(text.count) / Double(capacity) }
    func seal(_ text: [UInt8]) -> [UInt8]? { text }

    func post(_ body: [UInt8], attempt: Int) {
        guard !process.isDead else { return }
        if !network.requests.isEmpty { network.server.faults.append("two uploads at once") }
        posting(body)
        network.requests.append(.init(phone: self, attempt: attempt, body: body))
    }

    func cancel(attempt: Int) {
        guard !process.isDead else { return }
        for index in network.requests.indices
        where network.requests[index].phone === self && network.requests[index].attempt == attempt {
            network.requests[index].isCancelled = true
        }
    }

    func isOff() {}

    func log(_ line: String) { lines.append(line) }
}
