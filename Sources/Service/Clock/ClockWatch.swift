import Database
import Dispatch
import Logging
import Storage
import Synchronization
import Upkeep

/// Looks each minute who vouches for the clock: settles what spoke against it where somebody does, and says each hour
/// what waits where nobody does.
final class ClockWatch: Sendable {
    /// Seconds.
    private static let interval = 60
    private static let looksPerWarning = 60

    private let clock: ArrivalClock
    private let store: Store
    /// What waits while nobody vouches: names of settings.
    private let waiting: [String]
    private let logger: Logging.Logger
    private let queue = DispatchQueue(label: "sojourn.clock")
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    /// Only on the queue.
    private nonisolated(unsafe) var state = State()

    private struct State {
        /// Since somebody vouched.
        var looks = 0
        /// Who vouched at the last look.
        var voucher: ClockVoucher?
        /// When it was noted last that somebody does; nil: it is to be noted.
        var noted: Int64?
        /// It is noted that something speaks against the clock.
        var isDoubtNoted = false
    }

    /// Milliseconds after which it is noted again: a spool that was emptied says nothing of the time.
    private static let noteInterval: Int64 = 86_400_000

    /// Looks at once, and from then on.
    init(_ clock: ArrivalClock, _ store: Store, waiting: [String], _ logger: Logging.Logger) {
        self.clock = clock
        self.store = store
        self.waiting = waiting
        self.logger = logger
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.look() }
        timer.schedule(deadline: .now(), repeating: .seconds(Self.interval))
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Waits for what is under way.
    func close() {
        timer.cancel()
        queue.sync {}
    }

    private func look() {
        let now = Timestamp.milliseconds
        let settled = clock.settle(at: now)
        defer { state.voucher = settled?.voucher }
        guard let settled else { return warn(now) }
        // After a warning the log says how it ended.
        if state.voucher != settled.voucher, state.looks > 0 || settled.hadLater {
            logger.info("the clock is vouched for by \(settled.voucher.text)")
        }
        state.looks = 0
        if settled.hadLater {
            logger.warning(
                "batches that arrived after \(Timestamp.text(now)) were stored by a clock that ran ahead"
            )
            state.noted = nil
        }
        if settled.voucher == .devices { return }
        if let noted = state.noted, noted...noted + Self.noteInterval ~= now { return }
        note { () throws(StorageError) in
            try store.noteClockIsRight(at: now)
            (state.noted, state.isDoubtNoted) = (now, false)
        }
    }

    private func note(_ change: () throws(StorageError) -> Void) {
        do throws(StorageError) {
            try change()
        } catch {
            if error.isClosed { return }
            logger.warning("cannot note whether the clock is right: \(error)")
        }
    }

    private func warn(_ now: Int64) {
        let isRefusing = !clock.isUsable(now)
        let isDoubtful = clock.isDoubtful(now)
        if isDoubtful, !state.isDoubtNoted {
            note { () throws(StorageError) in
                try store.noteClockIsDoubtful()
                state.isDoubtNoted = true
            }
        }
        let effects = ClockVoucher.effects(isDoubtful: isDoubtful, waiting: waiting)
        guard isRefusing || effects != nil else { return }
        defer { state.looks += 1 }
        guard state.looks % Self.looksPerWarning == 0 else { return }
        let says = "the clock says \(Timestamp.text(now))"
        if !clock.isPossible(now) {
            logger.warning(
                "\(says), which is before this program was made: batches get 503; set it")
        } else if isRefusing {
            logger.warning(
                "\(says), which is before what has arrived: batches get 503; \(ClockVoucher.advice)"
            )
        } else if let effects {
            logger.warning(
                "\(says), and nobody vouches for it: \(effects); \(ClockVoucher.advice)")
        }
    }
}

extension ClockVoucher {
    /// What helps where nobody vouches.
    package static let advice = "let a time service keep it, or say sojourn clock accept"

    /// What an unvouched clock does, for the log and `doctor`; nil: nothing.
    /// - Parameters:
    ///   - isDoubtful: something speaks against the clock (`ClockSummary.isDoubtful`)
    ///   - settings: names of settings that delete, and wait for a voucher
    package static func effects(isDoubtful: Bool, waiting settings: [String]) -> String? {
        var effects: [String] = []
        if isDoubtful { effects.append("batches whose device has another time get 503") }
        if !settings.isEmpty {
            let verb = settings.count > 1 ? "wait" : "waits"
            effects.append("\(settings.joined(separator: " and ")) \(verb)")
        }
        return effects.isEmpty ? nil : effects.joined(separator: ", ")
    }

    /// For people.
    package var text: String {
        switch self {
        case .kernel: "the kernel, whose clock a time service keeps"
        case .devices: "the devices that posted last"
        case .operator: "the operator, for a day since sojourn clock accept"
        }
    }
}
