import Testing

@testable import Core

@Suite("A count that goes alone")
struct CountTests {
    private let network = SimulatedPhone.Network(SimulatedServer())

    private func machine() -> (Machine<SimulatedPhone>, SimulatedPhone) {
        let phone = SimulatedPhone(SimulatedProcess(id: 1), network, seed: 1)
        let machine = Machine(
            phone, disk: MemoryDisk(folder: MemoryFolder(), process: phone.process),
            limits: Limits(), clock: Clock(wall: phone.wall, monotonic: 0), fingerprint: 1,
            resource: Array("{\"os.name\":\"Linux\"}".utf8))
        return (machine, phone)
    }

    @Test(
        "whatever it is refused with, it is not sent again at once",
        arguments: [(422, "invalid-batch"), (413, "body-too-large"), (408, "request-timeout")])
    func refused(_ status: Int, _ code: String) {
        let (machine, _) = machine()
        machine.take([
            TimedCall(.foreground, at: 0),
            // A refused call, which is counted.
            TimedCall(.event(name: "", attributes: [:], isOwn: true), at: 0),
        ])
        machine.flush(until: 5_000_000_000) { _ in }
        var posts = 0
        while let request = network.requests.popLast(), posts < 10 {
            posts += 1
            machine.posted(
                request.attempt,
                .answer(
                    .init(
                        status: status, mediaType: "application/problem+json", retryAfter: nil,
                        date: nil, body: Array("{\"code\":\"\(code)\"}".utf8))))
        }
        // The session's start with the count, and the count with that.
        #expect(posts == 2)
        network.monotonic = 301_000_000_000
        machine.take([TimedCall(.event(name: "a", attributes: [:], isOwn: true), at: 1)])
        machine.flush(until: network.monotonic + 5_000_000_000) { _ in }
        #expect(network.requests.count == 1)
    }
}
