import Foundation
import Testing

@testable import Client
@testable import Simulation

@Suite("what devices meant")
struct AccountTests {
    @Test(
        "whatever happens to devices, each event stands once or is counted as dropped",
        arguments: [1, 2, 3] as [UInt64])
    func exact(seed: UInt64) throws {
        // Each process's end is checked; what does not hold is thrown.
        let crowd = try Crowd(
            .some(devices: 25, days: 12, seed: seed, shares: .many), hasAccount: true)
        var dropped: Int64 = 0
        for device in crowd.devices {
            let told = try #require(device.account?.told)
            dropped += told.batches.reduce(0) { $0 + $1.dropped }
            for (index, batch) in told.batches.enumerated() {
                try #require(
                    batch.accepted == Int64(told.events.count { $0.batch == index }))
            }
        }
        #expect(dropped > 0)
        let batches = crowd.devices.flatMap { $0.account?.told.batches ?? [] }
        #expect(batches.contains { $0.isCorrected })
        #expect(batches.contains { $0.repeats > 0 })
        #expect(batches.reduce(0) { $0 + $1.repeats } == crowd.arrivals.count { $0.isRepeat })
    }

    @Test("where the clock is right an event stands at the moment in which it was meant")
    func times() throws {
        var shares = Shares.many
        (shares.wrongClocks, shares.setClocks) = (10_000, 0)
        let wrong = try Crowd(.some(devices: 20, seed: 9, shares: shares), hasAccount: true)
        for device in wrong.devices where device.traits.clock.isCorrected {
            let told = try #require(device.account?.told)
            for event in told.events {
                let period = wrong.population.period
                try #require(period.start <= event.time && event.time < period.end)
                // Not near an edge of a bucket in any zone.
                let rest = event.time % 900_000
                try #require((2_000...898_000).contains(rest))
            }
            let times = told.events.filter { $0.name != "session.start" }.map(\.time).sorted()
            try #require(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 2_000 || $1 == $0 })
        }
    }

    /// An account of a device that was opened, and a batch of what it meant.
    private func account() throws -> (Account, (String, Int64) -> Post) {
        let population = try Population.some(shares: .none)
        let account = Account(population.traits(of: 0))
        account.setClock(0)
        account.launch(
            AppIdentity(
                population.traits(of: 0), on: 20_000, isCopy: false, population.calendar))
        account.open(at: 1_000)
        account.say(Said("order.menu", isOwn: true), at: 2_000)
        return (
            account,
            { events, sentAt in
                let text =
                    #"{"schema":1,"batch_id":"b","sent_at":\#(sentAt),"sequence":1,"#
                    + #""dropped_events":0,"resource":{},"events":[\#(events)]}"#
                let frozen = Ledger.Frozen(
                    segment: 1, range: 0..<1, events: 1, batchID: "b", sequence: 1, dropped: 0)
                return Post(Array(text.utf8), of: frozen, at: 5_000, oldIdentity: nil)
            }
        )
    }

    private static func receipt(unknown: Int = 0, isRepeat: Bool = false) -> Receipt {
        Receipt(first: 8_000, last: 9_000, unknown: unknown, isRepeat: isRepeat)
    }

    private static let menu = #"{"name":"order.menu","time":2000}"#

    @Test("an event that comes twice, a hole, and drops that nobody told of are found")
    func counts() throws {
        func failure(_ batches: [String]) throws -> String? {
            let (account, post) = try account()
            for (number, text) in batches.enumerated() {
                let parts = text.split(separator: "|")
                var json = String(decoding: post(String(parts[0]), 5_000).text, as: UTF8.self)
                json.replace(#""batch_id":"b""#, with: #""batch_id":"b\#(number)""#)
                json.replace(#""sequence":1"#, with: #""sequence":\#(parts[1])"#)
                let frozen = Ledger.Frozen(
                    segment: 1, range: 0..<1, events: 1, batchID: "b\(number)", sequence: 1,
                    dropped: 0)
                do {
                    try account.stored(
                        Post(Array(json.utf8), of: frozen, at: 5_000, oldIdentity: nil),
                        Self.receipt(), ServerRules())
                } catch {
                    return error.description
                }
            }
            return nil
        }
        let start = #"{"name":"session.start","time":1000}"#
        #expect(try failure(["\(start)|1", "\(Self.menu)|2"]) == nil)
        #expect(try failure(["\(start)|1", "\(start)|2"])?.contains("twice") == true)
        #expect(try failure(["\(start)|1", "\(Self.menu)|3"])?.contains("a hole") == true)
        #expect(
            try failure(["\(Self.menu)|1"])?.contains("0 dropped events where 1 were") == true)
    }

    @Test("a process that does not account for each event is found")
    func lost() throws {
        let (account, post) = try account()
        try account.stored(
            post(#"{"name":"session.start","time":1000},"# + Self.menu, 5_000), Self.receipt(),
            ServerRules())
        func status(_ accepted: Int64, waiting: Int64, dropped: Int64 = 0) -> Status {
            var status = Status()
            (status.accepted, status.waiting, status.dropped) = (accepted, waiting, dropped)
            status.appended = accepted + waiting + dropped
            return status
        }
        try account.check(status(2, waiting: 0))
        try account.check(status(0, waiting: 2))
        for wrong in [
            status(1, waiting: 0), status(0, waiting: 1, dropped: 1), status(3, waiting: 0),
        ] {
            #expect(throws: SimulationFailure.self) { try account.check(wrong) }
        }
    }

    @Test("whether attempts of unknown outcome arrived is left open, and a filled app is refused")
    func unknown() throws {
        let whole = #"{"name":"session.start","time":1000},"# + Self.menu
        let (account, post) = try account()
        try account.stored(
            post(whole, 5_000), Self.receipt(unknown: 3, isRepeat: true), ServerRules())
        let batch = account.told.batches[0]
        #expect(batch.repeats == 1 && batch.uncertain == 2 && batch.posted == 8_000)
        try account.stored(
            post(whole, 5_000), Self.receipt(unknown: 1, isRepeat: true), ServerRules())
        #expect(account.told.batches[0].repeats == 2 && account.told.batches[0].uncertain == 3)
        let (other, otherPost) = try self.account()
        let failure = #expect(throws: SimulationFailure.self) {
            try other.stored(
                otherPost(whole, 5_000), Self.receipt(isRepeat: true), ServerRules())
        }
        #expect(failure?.kind == .refused)
    }

    @Test(
        "a client that says what nobody meant, or says it at another time, is found",
        arguments: [
            (#"{"name":"session.start","time":1000}"#, 5_000, nil),
            (
                #"{"name":"session.start","time":1000},{"name":"order.menu","time":2000}"#, 5_000,
                nil
            ),
            (#"{"name":"order.menu","time":2001}"#, 5_000, "which nobody meant"),
            (#"{"name":"order.cart","time":2000}"#, 5_000, "which nobody meant"),
            (
                #"{"name":"order.menu","time":2000},{"name":"session.start","time":1000}"#, 5_000,
                "which nobody meant"
            ),
            (#"{"name":"order.menu","time":2000}"#, 5_001, "a wrong time"),
            (#"{"name":"order.menu","time":2000"#, 5_000, "no batch"),
        ] as [(String, Int64, String?)])
    func faults(events: String, sentAt: Int64, fault: String?) throws {
        let (account, post) = try account()
        guard let fault else {
            return try account.stored(post(events, sentAt), Self.receipt(), ServerRules())
        }
        let failure = #expect(throws: SimulationFailure.self) {
            try account.stored(post(events, sentAt), Self.receipt(), ServerRules())
        }
        #expect(failure?.description.contains(fault) == true, "\(String(describing: failure))")
        #expect(failure?.kind == .client)
    }

    @Test("a clock is corrected beyond a minute, and what is too old or ahead is rejected")
    func rules() {
        let rules = ServerRules()
        let day = SimulationPeriod.day
        #expect(rules.place(5_000, error: 60_000, arrival: 9_000) == 5_000)
        #expect(rules.place(5_000, error: 60_001, arrival: 9_000) == -55_001)
        #expect(rules.place(5_000, error: -60_001, arrival: 9_000) == 65_001)
        #expect(rules.place(day, error: 0, arrival: 0) == day)
        #expect(rules.place(day + 1, error: 0, arrival: 0) == nil)
        #expect(rules.place(-400 * day, error: 0, arrival: 0) == -400 * day)
        #expect(rules.place(-400 * day - 1, error: 0, arrival: 0) == nil)
    }
}
