import Testing

@testable import Sockets

@Suite("requests that are still coming")
struct ComingRequestsTests {
    private static func address(_ slot: UInt32) -> ConnectionAddress {
        ConnectionAddress(slot: slot, generation: 7)
    }

    @Test(
        "who holds much makes room before all others, and who has been coming longest before the rest"
    )
    func order() {
        var requests = ComingRequests()
        #expect(requests.first == nil)
        let entries: [(Int64, Bool)] = [(5, false), (9, true), (3, true), (1, false), (9, true)]
        for (slot, entry) in entries.enumerated() {
            requests.insert(
                .init(begunAt: entry.0, isLarge: entry.1), Self.address(UInt32(slot)))
        }
        #expect(requests.eldest(isLarge: true) == 3 && requests.eldest(isLarge: false) == 1)
        var order: [UInt32] = []
        while let first = requests.first {
            order.append(first.slot)
            let entry = entries[Int(first.slot)]
            requests.remove(.init(begunAt: entry.0, isLarge: entry.1), first)
        }
        #expect(order == [2, 1, 4, 3, 0])
        #expect(requests.eldest(isLarge: true) == nil && requests.eldest(isLarge: false) == nil)
    }

    @Test("any order of coming and going leaves who is still there, in order")
    func model() {
        var requests = ComingRequests()
        var there: [(begunAt: Int64, slot: UInt32)] = []
        var state: UInt64 = 1
        for slot in 0..<2000 as Range<UInt32> {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let begunAt = Int64(state >> 60)
            requests.insert(.init(begunAt: begunAt, isLarge: false), Self.address(slot))
            there.append((begunAt, slot))
            if state >> 33 & 1 == 1 {
                let gone = there.remove(at: Int(state >> 34) % there.count)
                requests.remove(
                    .init(begunAt: gone.begunAt, isLarge: false), Self.address(gone.slot))
            }
            // Stable: of those that began together the one that was seen first.
            let eldest = there.min { ($0.begunAt, $0.slot) < ($1.begunAt, $1.slot) }
            #expect(requests.first?.slot == eldest?.slot)
        }
    }
}
