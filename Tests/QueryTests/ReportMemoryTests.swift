import Database
import Testing

@testable import Query
@testable import Storage

/// docs/operation.md, Settings: `report-memory`.
@Suite("What reports hold")
struct ReportMemoryTests {
    @Test("beyond the limit the report that holds most, of the token that holds most, ends alone")
    func greatest() {
        let memory = ReportMemory(limit: 1000)
        // The greatest of all is of a token that holds less in all.
        let (alone, one, other) = (
            memory.account(of: 1), memory.account(of: 2), memory.account(of: 2)
        )
        alone.add(400)
        one.add(350)
        other.add(250)
        #expect(memory.held == 1000)
        #expect([alone, one, other].map(\.isOver) == [false, false, false])
        other.add(1)
        #expect([alone, one, other].map(\.isOver) == [false, true, false])
        // What it holds until it has ended is no reason to end another.
        other.add(300)
        #expect([alone, one, other].map(\.isOver) == [false, true, false])
        one.add(-350)
        other.add(100)
        #expect([alone, one, other].map(\.isOver) == [false, true, true])
    }

    @Test("a collection's memory is given back with it, a copy that grows tells of its own")
    func copies() {
        let memory = ReportMemory(limit: .max)
        let account = memory.account(of: nil)
        do {
            var first = HeldBytes(account)
            first.set(100_000)
            var second = first
            #expect(account.held == 100_000)
            second.set(150_000)
            #expect(account.held == 250_000)
            first.set(0)
            #expect(account.held == 150_000)
            second.add(1)
            #expect(account.held == 150_000)
            second.add(20_000)
            #expect(account.held == 170_001)
        }
        #expect(account.held == 0 && memory.held == 0 && account.greatest == 250_000)
    }

    @Test("what is kept for who asks again gives way to what computes, and stays away from it")
    func caches() {
        let room = CacheRoom()
        let memory = ReportMemory(limit: 1000, caches: room)
        #expect(!room.hasRoom(1001) && room.hasRoom(1000))
        let account = memory.account(of: nil)
        account.add(600)
        #expect(!room.hasRoom(401) && room.hasRoom(400) && !account.isOver)
        account.add(-600)
        #expect(room.hasRoom(1000))
        // A sixteenth is left to them, and one that has to end takes nothing from them any more.
        account.add(960)
        #expect(!room.hasRoom(63) && room.hasRoom(62))
        account.add(100)
        #expect(account.isOver && room.hasRoom(1000))
    }

    @Test("putting together what threads found ends with a report that holds too much")
    func merging() throws {
        let account = ReportMemory(limit: 8 << 20).account(of: 1)
        func sums() -> TextSums {
            var sums = TextSums(by: nil, account)
            for number in 0..<5000 {
                let text = Array("a text of some length \(number)".utf8)
                sums.sums.add(1, to: 1 + sums.codes.code(of: text.span), day: 0, device: 1)
            }
            return sums
        }
        var (one, other) = (sums(), sums())
        try one.merge(other)
        other = sums()
        account.add(8 << 20)
        #expect(account.isOver)
        for merge in [
            { _ = try one.codes.merge(other.codes) },
            { try one.sums.merge(other.sums, names: Array(0...5000)) },
            {
                var devices = DevicesByGroup(account); devices.insert(1, into: 0);
                try devices.merge(devices, groups: [0])
            },
        ] {
            let error = #expect(throws: StorageError.self) { try merge() }
            #expect(error?.isInterruption == true)
        }
    }
}
