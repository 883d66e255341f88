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

        init(_ server: SimulatedServer) { self.server = server }
    }

    let process: SimulatedProcess
    let network: Network
    /// Nanoseconds.
    var monotonic: Int64
    /// The device's clock, ms since 1970.
    var wall: Int64 { Self.epoch + monotonic / 1_000_000 }
    /// Bytes of a batch's text at most.
    var capacity = 65_535
    /// Called with each body that is posted.
    var posting: ([UInt8]) -> Void = { _ in }
    private(set) var lines: [String] = []
    private var seed: UInt64

    private static let epoch: Int64 = 1_760_000_000_000

    init(_ process: SimulatedProcess, _ network: Network, monotonic: Int64, seed: UInt64) {
        self.process = process
        self.network = network
        self.monotonic = monotonic
        self.seed = seed
    }

    /// SplitMix64.
    func random() -> UInt64 {
        seed &+= 0x9E37_79B9_7F4A_7C15
        var value = seed
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

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

    func recording(isEnabled: Bool) {}

    func log(_ line: String) { lines.append(line) }
}
