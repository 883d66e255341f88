/// What Core has to be where `Int` has 32 bits, as on watches with arm64_32: lives of a phone as in
/// `LifeTests`, and what those do not reach. `scripts/check-apple.sh` compiles it into one module with
/// JSON, Core and the simulation, and runs it as WebAssembly.
@main enum Narrow {
    nonisolated(unsafe) private static var failures = 0

    static func main() {
        expect(Int.bitWidth == 32, "an Int of \(Int.bitWidth) bits")
        draws()
        ledgers()
        for seed in 0..<20 {
            for fault in life(UInt64(seed)) { expect(false, "life \(seed): \(fault)") }
        }
        precondition(failures == 0)
    }

    private static func expect(_ holds: Bool, _ what: String) {
        guard !holds else { return }
        failures += 1
        print("error: \(what)")
    }

    /// A wait is between its half and its whole.
    private static func draws() {
        let network = SimulatedPhone.Network(SimulatedServer())
        let phone = SimulatedPhone(SimulatedProcess(id: 1), network, seed: 1)
        var sum = 0.0
        for _ in 0..<1000 {
            let draw = phone.draw()
            expect(draw >= 0 && draw < 1, "a draw outside of 0..<1")
            sum += draw
        }
        expect((450...550).contains(sum), "draws that are not even")
        let wait = Backoff().wait(
            afterFailures: 90, isHold: false, asked: Backoff.longestAsked, draw: phone.draw())
        expect((86_400_000...108_000_000).contains(wait), "a wait of \(wait) ms")
    }

    /// Counts of 64 bits come back; an offset that no file of such a system has is damage.
    private static func ledgers() {
        var ledger = Ledger(installation: RandomID.text(1, 2))
        ledger.counts.accepted = 1 << 50
        ledger.wait = Wait(failures: 3, until: 1 << 41, span: 1 << 33, held: .max)
        expect(Ledger(text: ledger.text) == ledger, "a ledger that does not come back")
        let text = String(decoding: ledger.text.dropLast(13), as: UTF8.self)
        func isRead(_ line: String) -> Bool {
            var bytes = Array((text + line + "\ncrc ").utf8)
            Hex.append(CRC32.checksum(bytes[...]), to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
            return Ledger(text: bytes) != nil
        }
        for line in ["cursor 1 7", "undone 1 0 7 2 1", "frozen 1 0 7 2 1 0 b"] {
            expect(isRead(line), "a ledger with \(line) is not read")
        }
        for line in [
            "cursor 1 4294967296", "undone 1 0 4294967296 2 1",
            "undone 1 4294967296 4294967297 2 1", "frozen 1 0 4294967296 2 1 0 b",
        ] {
            expect(!isRead(line), "a ledger with \(line) is read")
        }
    }

    /// What `LifeTests` does.
    private static func life(_ seed: UInt64) -> [String] {
        var draws = SplitMix(seed: seed)
        var limits = Limits()
        limits.journal = [2048, 6000, 1 << 20].randomElement(using: &draws) ?? 0
        let simulation = Simulation(limits: limits)
        for _ in 0..<4 {
            simulation.server.script = (0..<3).map { _ in .random(&draws) }
            for _ in 0..<8 { simulation.step(.random(in: 0..<20, using: &draws)) }
            simulation.recover(isPowerCut: .random(using: &draws))
        }
        simulation.recover()
        simulation.finish()
        return simulation.verdict()
    }
}
