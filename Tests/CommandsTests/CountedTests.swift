import Testing

@testable import Commands

@Suite("numbers with what they count")
struct CountedTests {
    @Test("one is one, and all else is many")
    func words() {
        #expect(Counted.batches(1) == "1 batch" && Counted.events(Int64(1)) == "1 event")
        #expect(Counted.batches(0) == "0 batches" && Counted.devices(21) == "21 devices")
    }
}
