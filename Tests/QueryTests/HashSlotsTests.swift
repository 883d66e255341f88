import Testing

@testable import Query

@Suite("Slots of hashes")
struct HashSlotsTests {
    @Test("find what was put in, and nothing else, as they grow")
    func growth() {
        var slots = HashSlots(slots: 2)
        let numbers = (0..<5000).map { UInt64($0) * 3 }
        for (place, number) in numbers.enumerated() {
            slots.insert(place, NumberHash.hash(number))
        }
        #expect(slots.count == numbers.count)
        for number in 0..<UInt64(15_000) {
            let found = slots.number(NumberHash.hash(number)) { numbers[$0] == number }
            #expect(found == (number % 3 == 0 ? Int(number / 3) : nil))
        }
    }

    @Test("leave it to who asks to tell equal hashes apart")
    func collisions() {
        var slots = HashSlots(slots: 2)
        for number in 0..<100 { slots.insert(number, 7) }
        for number in 0..<100 { #expect(slots.number(7) { $0 == number } == number) }
        #expect(slots.number(7) { $0 == 100 } == nil)
    }
}
