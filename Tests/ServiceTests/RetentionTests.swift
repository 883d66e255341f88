import Events
import Foundation
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Service
@testable import Upkeep

@Suite("retention (docs/operation.md, Retention)", .serialized)
struct RetentionTests {
    private static let day: Int64 = 86_400_000

    @Test(
        "it is due at once, then a day after the last prune has ended, whichever way the clock went"
    )
    func schedule() {
        let schedule = RetentionSchedule(retention: 7 * Self.day)
        let now = 100 * Self.day
        let limit = 93 * Self.day
        #expect(schedule.limit(at: now, lastEnd: nil) == limit)
        #expect(schedule.limit(at: now, lastEnd: 0) == limit)
        #expect(schedule.limit(at: now, lastEnd: now) == nil)
        #expect(schedule.limit(at: now, lastEnd: now - Self.day + 1) == nil)
        #expect(schedule.limit(at: now, lastEnd: now - Self.day) == limit)
        #expect(schedule.limit(at: now, lastEnd: now + Self.day - 1) == nil)
        #expect(schedule.limit(at: now, lastEnd: now + 300 * Self.day) == limit)
    }

    private final class Clock: Sendable {
        let now: Atomic<Int64>
        init(_ now: Int64) { self.now = Atomic(now) }
    }

    @Test("daily by itself: what is older than a week goes, its limit counts for ingest at once")
    func daily() throws {
        // Events each hour of ten days.
        let site = try ReportTestSite(events: 240, gap: 3_600_000)
        let (core, _) = try site.serve()
        let clock = Clock(BuildInfo.date + Self.day)
        core.clock.accept(at: clock.now.load(ordering: .relaxed))
        // All but the first three days is younger.
        let limit = ReportTestSite.start + 3 * Self.day
        let age = clock.now.load(ordering: .relaxed) - limit
        func count(since moment: Int64 = 0) -> Int64? {
            try? site.store.reader().integer(
                "SELECT count(*) FROM event WHERE 1 - late >= \(moment)")
        }
        let retention = Retention(age, of: core) { clock.now.load(ordering: .relaxed) }
        defer { retention.close() }
        #expect(eventually { count() == 7 * 24 })
        #expect(core.floor.moment(at: .max) == limit)
        #expect(eventually { (try? site.store.prunedAt()) ?? 0 != 0 })
        // The test's store has the real clock.
        let ended = try #require(try site.store.prunedAt())
        core.clock.accept(at: ended + Self.day)
        clock.now.store(ended + Self.day - 1, ordering: .relaxed)
        retention.look()
        #expect(count() == 7 * 24 && core.floor.moment(at: .max) == limit)
        clock.now.store(ended + Self.day, ordering: .relaxed)
        let next = ended + Self.day - age
        let left = count(since: next)
        retention.look()
        #expect(count() == left && core.floor.moment(at: .max) == next)
    }

    @Test("nothing is pruned while nobody vouches for the clock, what is old once somebody does")
    func wrongClock() throws {
        let site = try ReportTestSite(events: 10)
        let (core, _) = try site.serve()
        // No kernel has this time, whoever keeps its clock.
        let ahead = Timestamp.milliseconds + 730 * Self.day
        let retention = Retention(Self.day, of: core) { ahead }
        defer { retention.close() }
        retention.look()
        #expect(try site.store.pruneFloor() == nil)
        #expect(try site.store.reader().integer("SELECT count(*) FROM event") == 10)
        core.clock.accept(at: ahead)
        retention.look()
        #expect(try site.store.reader().integer("SELECT count(*) FROM event") == 0)
    }

    @Test("after a restart the limit of the last prune counts again")
    func restart() throws {
        let site = try ReportTestSite(events: 10)
        _ = try site.store.prune(before: ReportTestSite.start + 5)
        let (core, _) = try site.serve()
        #expect(core.floor.moment(at: .max) == ReportTestSite.start + 5)
    }

    @Test("the setting is read")
    func setting() throws {
        func settings(_ given: [String: [String]]) throws -> Settings {
            try SettingsResolver(
                commandLine: given, environment: [:], configFile: nil, readFile: { _ in nil }
            ).resolve()
        }
        #expect(try settings([:]).retention == nil)
        #expect(try settings(["retention": ["off"]]).retention == nil)
        #expect(try settings(["retention": ["400d"]]).retention == 400 * Self.day)
    }
}
