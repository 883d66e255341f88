import Events
import Sockets
import Synchronization
import Testing
import Upkeep

@testable import Service

/// docs/operation.md, A clock that is vouched for.
@Suite("the clock")
struct ArrivalClockTests {
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 24 * hour
    /// Well after the program was made.
    private static let now = BuildInfo.date + 1000 * day

    /// A kernel and a machine that say what a test tells them.
    private final class Machine: Sendable {
        let kernel = Mutex<KernelClock?>(nil)
        let sinceBoot = Mutex<Int64>(0)

        func clock(
            newest: Int64? = nil, accepted: Int64? = nil, now: Int64,
            maxEventAge: Int64 = 400 * ArrivalClockTests.day
        ) -> ArrivalClock {
            ArrivalClock(
                ClockRecord(newest: newest, accepted: accepted), now: now, maxEventAge: maxEventAge,
                sources: ArrivalClock.Sources(
                    kernel: { self.kernel.withLock { $0 } },
                    sinceBoot: { self.sinceBoot.withLock { $0 } }))
        }

        /// Time goes by: the clock says so much more too.
        func wait(_ milliseconds: Int64) { sinceBoot.withLock { $0 += milliseconds } }
    }

    private let machine = Machine()

    private func device(_ number: Int) -> DeviceHash {
        DeviceHash(high: UInt64(number), low: 7)
    }

    /// Batches of so many devices, sent so long before they arrived.
    private func note(_ clock: ArrivalClock, _ devices: Range<Int>, skew: Int64, at now: Int64) {
        for number in devices { clock.note(now, device(number), sentAt: now - skew) }
    }

    @Test("before the program's day it is not believed, whoever vouches")
    func buildDate() {
        let before = BuildInfo.date - 1
        machine.kernel.withLock {
            $0 = KernelClock(isSynchronised: true, maxError: 0, moment: before)
        }
        let clock = machine.clock(newest: nil, accepted: before, now: before)
        #expect(clock.voucher(at: before) == nil)
        #expect(!clock.isUsable(before) && !clock.isPossible(before))
        #expect(clock.isUsable(BuildInfo.date))
    }

    @Test("more than a day before the newest arrival it is not, unless somebody vouches")
    func newestArrival() {
        let newest = Self.now + 10 * Self.day
        let clock = machine.clock(newest: newest, now: Self.now)
        let tolerance = ArrivalClock.tolerance
        #expect(clock.isUsable(newest - tolerance) && !clock.isUsable(newest - tolerance - 1))
        clock.note(newest + 5, device(1), sentAt: nil)
        clock.note(newest, device(1), sentAt: nil)
        #expect(!clock.isUsable(newest + 4 - tolerance) && clock.isUsable(newest + 5 - tolerance))
        #expect(!clock.isUsable(Self.now))
        clock.accept(at: Self.now)
        #expect(clock.isUsable(Self.now))
        // Once that is settled it needs nobody any more.
        let settled = clock.settle(at: Self.now)
        #expect(settled?.voucher == .operator && settled?.hadLater == true)
        #expect(clock.settle(at: Self.now)?.hadLater == false)
        #expect(clock.isUsable(Self.now + 2 * Self.day))
        #expect(clock.settle(at: Self.now + 2 * Self.day) == nil)
    }

    @Test("the kernel vouches while it is synchronised, nearly exact, and has the same time")
    func kernel() {
        let clock = machine.clock(now: Self.now)
        for (isSynchronised, maxError, offset, vouches) in [
            (true, 1, 0, true), (false, 1, 0, false), (true, Self.hour - 1, 0, true),
            (true, Self.hour, 0, false), (true, 1, 2000, true), (true, 1, -2001, false),
        ] as [(Bool, Int64, Int64, Bool)] {
            machine.kernel.withLock {
                $0 = KernelClock(
                    isSynchronised: isSynchronised, maxError: maxError, moment: Self.now + offset)
            }
            #expect((clock.voucher(at: Self.now) == .kernel) == vouches)
        }
    }

    @Test("ten devices vouch by the median of their newest batches, each counted once")
    func devices() {
        let clock = machine.clock(now: Self.now)
        note(clock, 0..<9, skew: 0, at: Self.now)
        note(clock, 0..<9, skew: 5, at: Self.now)
        #expect(clock.voucher(at: Self.now) == nil)
        clock.note(Self.now, device(9), sentAt: nil)
        #expect(clock.voucher(at: Self.now) == nil)
        note(clock, 9..<10, skew: Self.hour, at: Self.now)
        #expect(clock.voucher(at: Self.now) == .devices)
        // Few that are wrong do not matter, most do.
        note(clock, 10..<14, skew: 900 * Self.day, at: Self.now)
        #expect(clock.voucher(at: Self.now) == .devices)
        note(clock, 14..<30, skew: 900 * Self.day, at: Self.now)
        #expect(clock.voucher(at: Self.now) == nil)
        // The last fifty count.
        note(clock, 100..<150, skew: -Self.hour, at: Self.now)
        #expect(clock.voucher(at: Self.now) == .devices)
        note(clock, 100..<150, skew: -Self.hour - 1, at: Self.now)
        #expect(clock.voucher(at: Self.now) == nil)
    }

    @Test("devices that a wrong clock refuses are heard, and its word settles nothing for good")
    func refused() {
        let clock = machine.clock(newest: Self.now - 210 * Self.day, now: Self.now)
        for number in 0..<20 {
            clock.noteRefused(
                Self.now, device(number), sentAt: Self.now - 210 * Self.day)
        }
        note(clock, 100..<110, skew: 0, at: Self.now)
        #expect(clock.voucher(at: Self.now) == nil)
        // Most agree: but ten of those whose batches were stored have to.
        note(clock, 110..<131, skew: 0, at: Self.now)
        #expect(clock.voucher(at: Self.now) == .devices && !clock.isDoubtful(Self.now))
        #expect(clock.settle(at: Self.now)?.hadLater == false)
        note(clock, 0..<50, skew: 210 * Self.day, at: Self.now)
        #expect(clock.voucher(at: Self.now) == nil && clock.isDoubtful(Self.now))
    }

    @Test("devices do not vouch for a clock that was set since they posted")
    func step() {
        let clock = machine.clock(now: Self.now)
        note(clock, 0..<20, skew: 3, at: Self.now)
        machine.wait(5 * Self.hour)
        #expect(clock.voucher(at: Self.now + 5 * Self.hour) == .devices)
        #expect(clock.voucher(at: Self.now + 5 * Self.hour + 730 * Self.day) == nil)
        #expect(clock.voucher(at: Self.now - 1 * Self.day) == nil)
        // Put right again.
        #expect(clock.voucher(at: Self.now + 5 * Self.hour) == .devices)
    }

    @Test("the operator's word holds for a day, also after a restart, unless the clock is set")
    func operatorsWord() {
        let clock = machine.clock(newest: nil, accepted: Self.now, now: Self.now)
        #expect(clock.voucher(at: Self.now - Self.hour) == .operator)
        #expect(clock.voucher(at: Self.now - Self.hour - 1) == nil)
        #expect(clock.voucher(at: Self.now + Self.hour) == .operator)
        #expect(clock.voucher(at: Self.now + Self.hour + 1) == nil)
        clock.accept(at: Self.now + Self.hour + 1)
        #expect(clock.voucher(at: Self.now + Self.hour + 1) == .operator)
        clock.accept(at: Self.now)
        machine.wait(Self.day)
        #expect(clock.voucher(at: Self.now + Self.day) == .operator)
        machine.wait(1)
        #expect(clock.voucher(at: Self.now + Self.day + 1) == nil)
    }

    @Test("a batch whose device has the same time is taken whatever else there is")
    func agreeing() {
        let clock = machine.clock(newest: Self.now + 10 * Self.day, now: Self.now)
        func allows(_ sentAt: Int64?, refusing: Bool = false) -> Bool {
            clock.allows(
                arrival: Self.now, sentAt: sentAt, refusesTimes: refusing, now: Self.now)
        }
        #expect(allows(Self.now) && allows(Self.now - Self.hour, refusing: true))
        #expect(!allows(Self.now - Self.hour - 1) && !allows(nil))
        clock.accept(at: Self.now)
        #expect(allows(Self.now - Self.hour - 1, refusing: true) && allows(nil, refusing: true))
    }

    @Test("no event is refused for its time, nor moved, by a doubtful clock alone")
    func doubtful() {
        func refuses(_ clock: ArrivalClock, at now: Int64) -> Bool {
            let allows = [false, true].map {
                clock.allows(arrival: now, sentAt: nil, refusesTimes: $0, now: now)
            }
            #expect(allows[0])
            // Its device says when it was sent: then that decides.
            #expect(
                clock.allows(arrival: now, sentAt: now - Self.hour, refusesTimes: true, now: now))
            let isMoved = clock.allows(
                arrival: now, sentAt: now - 2 * Self.day, refusesTimes: false, now: now)
            #expect(isMoved == allows[1])
            return !allows[1]
        }
        // Nothing speaks against it.
        #expect(!refuses(machine.clock(now: Self.now), at: Self.now))
        let fresh = machine.clock(newest: Self.now - 200 * Self.day, now: Self.now)
        #expect(!refuses(fresh, at: Self.now))
        // Long after all arrivals, or somewhat before them.
        let ahead = machine.clock(newest: Self.now - 200 * Self.day - 1, now: Self.now)
        #expect(refuses(ahead, at: Self.now))
        let short = machine.clock(
            newest: Self.now - 15 * Self.day - 1, now: Self.now, maxEventAge: 30 * Self.day)
        #expect(refuses(short, at: Self.now))
        let behind = machine.clock(newest: Self.now + Self.hour + 1, now: Self.now)
        #expect(refuses(behind, at: Self.now))
        // Set while it runs, and back.
        let running = machine.clock(newest: Self.now, now: Self.now)
        #expect(refuses(running, at: Self.now + Self.hour + 1))
        #expect(refuses(running, at: Self.now - Self.hour - 1))
        #expect(!refuses(running, at: Self.now + Self.hour))
        machine.wait(Self.day)
        #expect(!refuses(running, at: Self.now + Self.day))
        // Whoever vouches takes the doubt away.
        note(ahead, 0..<10, skew: 0, at: Self.now + Self.day)
        #expect(!refuses(ahead, at: Self.now + Self.day))
        #expect(ahead.settle(at: Self.now + Self.day)?.voucher == .devices)
    }

    @Test("the kernel's clock is read, and time since the start goes on")
    func system() throws {
        let kernel = try #require(KernelClock.read())
        #expect((kernel.moment - Timestamp.milliseconds).magnitude < 60_000)
        let before = KernelClock.sinceBoot
        #expect(before > 0 && KernelClock.sinceBoot >= before)
    }
}
