import Events
import Sockets
import Synchronization
import Upkeep

/// Who says that the machine's clock is right (docs/operation.md, A clock that is vouched for).
package enum ClockVoucher: String, Codable, Sendable, CaseIterable {
    /// The kernel: a time service keeps its clock.
    case kernel
    /// Those devices that posted last.
    case devices
    /// Who said `sojourn clock accept` within a day.
    case `operator`
}

/// Whether the machine's clock can be believed: one that is wrong would reject good events for ever, or delete them.
/// Usable from any thread.
package final class ArrivalClock: Sendable {
    /// What it asks besides the wall clock.
    struct Sources: Sendable {
        var kernel: @Sendable () -> KernelClock? = { KernelClock.read() }
        /// Milliseconds since the machine was started.
        var sinceBoot: @Sendable () -> Int64 = { KernelClock.sinceBoot }
    }

    /// How far before the newest stored arrival the clock may be, milliseconds.
    static let tolerance: Int64 = 86_400_000
    /// How far clocks that agree may differ.
    static let agreement: Int64 = 3_600_000
    /// The same of two readings of one clock.
    private static let sameClock: Int64 = 2_000
    /// For how long the operator's word holds.
    static let acceptance: Int64 = 86_400_000
    /// For how long nothing may have arrived without that being strange, unless events are too old sooner: only a
    /// clock that runs ahead by more takes for too old what a phone kept for some months.
    private static let maxQuietTime: Int64 = 200 * 86_400_000
    private static let never = Int64.min

    private let sources: Sources
    /// The newest arrival that no wrong clock wrote, as far as is known.
    private let newest: Atomic<Int64>
    /// When the operator said so last.
    private let accepted: Atomic<Int64>
    /// The clock less the time since the machine was started, then or at this start: one that was set since is not
    /// what the operator has seen.
    private let acceptedOffset: Atomic<Int64>
    /// The clock less the time since the machine was started, when somebody vouched last, else at the start.
    private let steady: Atomic<Int64>
    /// At the start it was far after all arrivals, and nobody has vouched since.
    private let isFarAhead: Atomic<Bool>
    private let devices = Mutex(DeviceClocks())

    /// - Parameters:
    ///   - record: what is stored of arrivals and of who vouched
    ///   - now: the clock's time, milliseconds since 1970-01-01T00:00:00Z, as all moments here
    package convenience init(_ record: ClockRecord, now: Int64) {
        self.init(record, now: now, maxEventAge: .max, sources: Sources())
    }

    /// The same where events may be so old (milliseconds), and with other sources.
    init(_ record: ClockRecord, now: Int64, maxEventAge: Int64, sources: Sources) {
        self.sources = sources
        let last = max(record.newest ?? 0, 0)
        newest = Atomic(last)
        accepted = Atomic(record.accepted ?? Self.never)
        let offset = now - sources.sinceBoot()
        steady = Atomic(offset)
        acceptedOffset = Atomic(offset)
        let quiet = min(Self.maxQuietTime, maxEventAge / 2)
        isFarAhead = Atomic(record.newest != nil && now - last > quiet)
    }

    /// Who vouches for the clock, which says `now`.
    func voucher(at now: Int64) -> ClockVoucher? {
        if now < BuildInfo.date { return nil }
        if let kernel = sources.kernel(), kernel.isSynchronised, kernel.maxError < Self.agreement,
            (kernel.moment - now).magnitude <= Self.sameClock.magnitude
        {
            return .kernel
        }
        let offset = now - sources.sinceBoot()
        if let median = devices.withLock({ $0.median(offset) }),
            median.magnitude <= Self.agreement.magnitude
        {
            return .devices
        }
        return acceptedUntil(now) == nil ? nil : .operator
    }

    /// Until when the operator's word holds; nil where it does not, or was never given.
    func acceptedUntil(_ now: Int64) -> Int64? {
        let offset = now - sources.sinceBoot()
        let isSteady =
            (offset - acceptedOffset.load(ordering: .relaxed)).magnitude <= Self.agreement.magnitude
        let accepted = accepted.load(ordering: .relaxed)
        let (since, isNever) = now.subtractingReportingOverflow(accepted)
        guard isSteady, !isNever, -Self.agreement...Self.acceptance ~= since else { return nil }
        return accepted + Self.acceptance
    }

    /// Whether it is not before the program was made: then no batch is taken at all.
    func isPossible(_ now: Int64) -> Bool { now >= BuildInfo.date }

    /// Whether batches are taken, whatever they say.
    func isUsable(_ now: Int64) -> Bool {
        isPossible(now) && (!isBehind(now) || voucher(at: now) != nil)
    }

    /// More than a day before what has arrived already.
    private func isBehind(_ now: Int64) -> Bool {
        now < newest.load(ordering: .relaxed) - Self.tolerance
    }

    /// Nobody vouches for it, and something speaks against it: at the start it was long after all that had arrived, it
    /// is before what has arrived, or it was set while the server ran.
    func isDoubtful(_ now: Int64) -> Bool {
        let isUnlikely =
            isFarAhead.load(ordering: .relaxed)
            || now + Self.agreement < newest.load(ordering: .relaxed)
            || (now - sources.sinceBoot() - steady.load(ordering: .relaxed)).magnitude
                > Self.agreement.magnitude
        return isUnlikely && voucher(at: now) == nil
    }

    /// Whether a batch may be answered as it was judged. One whose device has the same time speaks for the clock
    /// itself. A doubtful clock refuses no event for ever, nor moves one by what it differs from a device's.
    /// - Parameters:
    ///   - sentAt: the device's clock when it was sent; nil: it does not say
    ///   - refusesTimes: events of it were rejected for their times
    ///   - now: the clock's time when that is asked: an arrival may be half a minute old
    func allows(
        arrival: Int64, sentAt: Int64?, refusesTimes: Bool, now: @autoclosure () -> Int64
    ) -> Bool {
        if let sentAt, (arrival - sentAt).magnitude <= Self.agreement.magnitude { return true }
        let now = now()
        guard isUsable(now) else { return false }
        return sentAt == nil && !refusesTimes || !isDoubtful(now)
    }

    /// A batch is stored.
    /// - Parameter sentAt: nil: its device does not say, or does not count
    func note(_ arrival: Int64, _ device: DeviceHash, sentAt: Int64?) {
        newest.max(arrival, ordering: .relaxed)
        noteDevice(device, arrival, sentAt: sentAt, isStored: true)
    }

    /// A batch is refused, since its device has another time than a doubtful clock.
    func noteRefused(_ arrival: Int64, _ device: DeviceHash, sentAt: Int64?) {
        noteDevice(device, arrival, sentAt: sentAt, isStored: false)
    }

    private func noteDevice(
        _ device: DeviceHash, _ arrival: Int64, sentAt: Int64?, isStored: Bool
    ) {
        guard let sentAt else { return }
        devices.withLock {
            $0.note(
                device, arrival, sentAt: sentAt, isStored: isStored, sinceBoot: sources.sinceBoot)
        }
    }

    /// The operator vouches for it.
    func accept(at now: Int64) {
        acceptedOffset.store(now - sources.sinceBoot(), ordering: .relaxed)
        accepted.store(now, ordering: .relaxed)
    }

    /// Where the kernel or the operator vouches for the clock what spoke against it is settled. The devices' word
    /// counts as long as they give it: any app's may be invented.
    /// - Returns: who vouches; and whether arrivals are stored that a wrong clock wrote
    func settle(at now: Int64) -> (voucher: ClockVoucher, hadLater: Bool)? {
        guard let voucher = voucher(at: now) else { return nil }
        if voucher == .devices { return (voucher, false) }
        steady.store(now - sources.sinceBoot(), ordering: .relaxed)
        isFarAhead.store(false, ordering: .relaxed)
        let known = newest.load(ordering: .relaxed)
        guard known > now + Self.agreement else { return (voucher, false) }
        newest.store(now, ordering: .relaxed)
        return (voucher, true)
    }
}
