import Testing

@testable import Simulation

@Suite("wrong clocks")
struct ClockTraitsTests {
    private func clocks(wrong: Int, set: Int) -> [ClockTraits] {
        var shares = Shares.none
        (shares.wrongClocks, shares.setClocks) = (wrong, set)
        var random = SeededRandom(seed: 5)
        return (0..<3_000).map { _ in ClockTraits(shares, &random) }
    }

    @Test("they are off by seconds to years, and never by nearly a minute")
    func errors() {
        let errors = clocks(wrong: 10_000, set: 10_000).flatMap { [$0.error, $0.errorAfter] }
        #expect(errors.allSatisfy { !(50_000...70_000).contains($0.magnitude) })
        for bound in [60_000, 3_600_000, 86_400_000, 365 * 86_400_000] as [UInt64] {
            #expect(errors.contains { $0.magnitude > bound && $0 > 0 })
            #expect(errors.contains { $0.magnitude > bound && $0 < 0 })
        }
        #expect(errors.contains { $0.magnitude < 60_000 })
    }

    @Test("two that a server corrects differ by whole quarters of an hour")
    func quarters() {
        for clock in clocks(wrong: 5_000, set: 10_000) {
            guard clock.errorAfter.magnitude > 60_000 else { continue }
            #expect(
                clock.error.magnitude > 45_000 || clock.error == 0
                    || clock.errorAfter.magnitude < 60_000, "\(clock)")
            if clock.error.magnitude > 60_000 || clock.error == 0 {
                #expect((clock.error - clock.errorAfter) % 900_000 == 0, "\(clock)")
            }
        }
    }

    @Test("without wrong clocks all are right to a second, and nobody sets one")
    func right() {
        #expect(
            clocks(wrong: 0, set: 0).allSatisfy {
                $0.error.magnitude <= 900 && $0.setOn == nil && !$0.isCorrected
            })
    }
}
