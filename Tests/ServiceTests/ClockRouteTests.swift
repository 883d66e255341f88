import Events
import Foundation
import Storage
import Testing
import Upkeep

@testable import Service

/// A clock that something speaks against, over HTTP (docs/operation.md, A clock that is vouched for).
@Suite("a clock that ran ahead, over HTTP")
struct ClockRouteTests {
    private static let day: Int64 = 86_400_000

    private let site: ReportTestSite
    private let core: ServiceCore
    private let port: UInt16
    private let token: String

    init() throws {
        site = try ReportTestSite()
        _ = try site.store.registry.setApp("shop", AppChange(allowsPlain: true))
        token = try site.store.registry.addToken(scope: .ingest, app: "shop").text
        // Whatever keeps this machine's clock.
        (core, port) = try site.serve([:], clockSources: ArrivalClock.Sources(kernel: { nil }))
    }

    private func get(_ path: String) -> (status: Int, text: String) {
        let client = ReportTestReader(port: port)
        client.say("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        return (client.status, client.head)
    }

    /// - Parameters:
    ///   - sentAt: how long before now
    ///   - age: of its event, milliseconds
    private func post(_ id: String, sentAt: Int64? = nil, age: Int64 = 0) -> Int {
        let now = Timestamp.milliseconds
        let sent = sentAt.map { "\"sent_at\":\(now - $0)," } ?? ""
        let body =
            #"{"batch_id":"\#(id)",\#(sent)"resource":{"device.id":"\#(id)"},"events":[{"name":"a","time":\#(now - age)}]}"#
        let client = ReportTestReader(port: port)
        client.say(
            """
            POST /v1/apps/shop/batches HTTP/1.1\r
            Host: a\r
            Authorization: Bearer \(token)\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """)
        return client.status
    }

    private var operations: AdminOperations {
        AdminOperations(
            store: site.store, floor: core.floor, clock: core.clock, backups: core.backups,
            cluster: nil, stop: StopFlag())
    }

    @Test("batches wait until somebody vouches, but for those whose device has the same time")
    func ahead() throws {
        #expect(post("before") == 200 && get("/readyz").status == 200)
        core.clock.note(
            Timestamp.milliseconds + 10 * Self.day, DeviceHash(high: 1, low: 1), sentAt: nil)
        #expect(get("/readyz").status == 503)
        #expect(post("none") == 503 && post("other", sentAt: 3 * Self.day) == 503)
        for number in 0..<9 { #expect(post("same\(number)", sentAt: 5) == 200) }
        #expect(post("none") == 503)
        #expect(post("same9", sentAt: 5) == 200)
        #expect(post("none") == 200 && post("other", sentAt: 3 * Self.day) == 200)
        #expect(get("/readyz").status == 200)
    }

    @Test("the operator vouches for a day, and what is stored as later holds up nothing any more")
    func accepted() throws {
        let later = Timestamp.milliseconds + 10 * Self.day
        core.clock.note(later, DeviceHash(high: 1, low: 1), sentAt: nil)
        #expect(post("none") == 503)
        guard case .clock(let before) = try operations.perform(.clock) else {
            throw AdminFailure(.software, "no clock")
        }
        #expect(before.voucher == nil && !before.isUsable)
        guard case .clock(let after) = try operations.perform(.acceptClock) else {
            throw AdminFailure(.software, "no clock")
        }
        #expect(after.voucher == .operator && after.isUsable)
        #expect(post("none") == 200)
        // A server that is started then knows it.
        let record = try site.store.clockRecord()
        #expect(record.accepted != nil && (record.newest ?? .max) < later - Self.day)
    }

    @Test("an event is rejected for its time, unless something speaks against the clock")
    func tooOld() throws {
        #expect(post("old", age: 500 * Self.day) == 200)
        // An arrival of three hours later: nobody vouches, and yet the clock is less than a day before it.
        core.clock.note(
            Timestamp.milliseconds + Self.day / 8, DeviceHash(high: 1, low: 1), sentAt: nil)
        #expect(post("older", age: 500 * Self.day) == 503)
        #expect(post("older", sentAt: 5, age: 500 * Self.day) == 200 && post("young") == 200)
    }

    @Test("what arrives while something speaks against the clock says nothing of the time")
    func doubted() throws {
        #expect(post("one") == 200)
        let known = try site.store.clockRecord().newest
        try site.store.noteClockIsDoubtful()
        Thread.sleep(forTimeInterval: 0.01)
        #expect(post("two") == 200)
        try site.store.noteClockIsDoubtful()
        #expect(try site.store.clockRecord().newest == known)
        try site.store.noteClockIsRight(at: 5)
        #expect(try site.store.clockRecord().newest == 5)
        #expect(post("three") == 200)
        #expect(try site.store.clockRecord().newest ?? 0 > known ?? .max)
    }

    @Test("a prune after the newest arrival needs to be told that all may go")
    func everything() throws {
        #expect(post("one") == 200)
        // Arrivals are some milliseconds old by now.
        Thread.sleep(forTimeInterval: 0.05)
        #expect(throws: AdminFailure.self) {
            try operations.perform(.prune(olderThan: 1, all: false))
        }
        #expect(try site.store.pruneFloor() == nil)
        let outcome = try operations.perform(.prune(olderThan: 1, all: true))
        guard case .pruned(let pruned) = outcome else {
            throw AdminFailure(.software, "not pruned")
        }
        #expect(pruned.events >= 1)
    }
}
