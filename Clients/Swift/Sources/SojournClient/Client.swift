import Core
import Foundation

/// A client of one app: its inbox, and the one queue on which everything else happens.
///
/// What is below "On the queue" is touched there alone, which is what makes it Sendable.
package final class Client: @unchecked Sendable {
    /// How long the queue leaves calls in memory, so that many share one write, in nanoseconds.
    private static let pause: Int64 = 2_000_000
    /// How long a call with a callback waits for a folder that cannot be opened, in nanoseconds.
    private static let patience: Int64 = 10_000_000_000
    /// How long the queue has for a flush at least, in nanoseconds: it may have none of its own.
    private static let leastTime: Int64 = 100_000_000

    private let inbox = Inbox()
    private let queue = Worker()
    /// Rings where a flush is over and the queue still waits for the disk.
    private let bell = Worker()

    // MARK: On the queue

    private var machine: Machine<Phone>?
    /// When it was made, in nanoseconds.
    private var began: Int64 = 0
    private var log: @Sendable (String) -> Void = { _ in }
    /// The alarm that is set: its moment, and the number to call it off.
    private var alarm: (moment: Int64, number: Int)?

    package init() {}

    // MARK: Calls

    /// Starts: from now on the queue takes what is called. A second start is ignored.
    ///
    /// - Parameter configuration: Called on the queue: asking the system for folders takes too long for
    ///   the thread that starts.
    package func start(_ configuration: @escaping @Sendable () -> Configuration) {
        let clock = Clock(wall: SystemClock.wall(), monotonic: SystemClock.monotonic())
        queue.run { [self] in begin(configuration(), clock) }
    }

    /// An event; what breaks a rule is logged, and counted as dropped.
    @inline(__always)
    package func event(_ name: String, _ attributes: [String: Value], isOwn: Bool = false) {
        put(.event(name: name, attributes: attributes, isOwn: isOwn))
    }

    /// - Parameter then: Called on the main queue.
    package func completed(_ content: String, then: (@Sendable (Bool) -> Void)? = nil) {
        let then: @Sendable (Bool) -> Void = { isFirst in
            if let then { DispatchQueue.main.async { then(isFirst) } }
        }
        put(.completed(content: content, then: then))
    }

    package func foreground() { put(.foreground) }

    /// `then` is called when the upload is over, its budget at the latest.
    package func background(then: @escaping @Sendable () -> Void = {}) {
        put(.background(then: then), isUrgent: true)
    }

    /// `then` is called when all that was called is on the disk.
    package func terminate(then: @escaping @Sendable () -> Void) {
        put(.terminate(then: then), isUrgent: true)
    }

    /// `then` is called when all calls before it are appended.
    package func sync(then: @escaping @Sendable () -> Void) {
        put(.sync(then: then), isUrgent: true)
    }

    package func forget(then: @escaping @Sendable () -> Void = {}) {
        tell(inbox.clear(.forget(then: then)), isUrgent: true)
    }

    /// A line for a developer.
    package func note(_ line: String) { queue.run { [self] in log(line) } }

    package var isEnabled: Bool { inbox.isEnabled }

    package func enable(_ isEnabled: Bool, then: @escaping @Sendable () -> Void = {}) {
        let call = Call.enable(isEnabled, then: then)
        if isEnabled {
            inbox.isEnabled = true
            put(call, isUrgent: true)
        } else {
            tell(inbox.clear(call, isEnabled: false), isUrgent: true)
        }
    }

    /// Tries to upload now; `then` says whether nothing waits, so many milliseconds later at the latest.
    package func flush(within milliseconds: Int64, then: @escaping @Sendable (Bool) -> Void) {
        let now = SystemClock.monotonic()
        let deadline = now + min(max(0, milliseconds), 86_400_000) * 1_000_000
        let waiting = Locked<(@Sendable (Bool) -> Void)?>(then)
        let tell: @Sendable (Bool) -> Void = { isDone in
            let then = waiting.use { waiting in
                defer { waiting = nil }
                return waiting
            }
            then?(isDone)
        }
        let ring = bell.run(at: max(deadline, now + Self.leastTime)) { tell(false) }
        let finish: @Sendable (Bool) -> Void = { [bell] isDone in
            bell.cancel(ring)
            tell(isDone)
        }
        queue.run { [self] in
            drain()
            guard let machine else { return finish(false) }
            machine.flush(until: deadline, then: finish)
            setAlarm()
        }
    }

    /// The time for uploads is over: what runs is given up. `then` is called when that is noted.
    package func expire(then: @escaping @Sendable () -> Void = {}) {
        queue.run { [self] in
            machine?.expire()
            setAlarm()
            then()
        }
    }

    /// Of a client that was not started, or that could not be, zeros; of one whose folder cannot be opened,
    /// ten seconds after the start at the latest.
    package func status(then: @escaping @Sendable (Status) -> Void) {
        queue.run { [self] in
            guard machine != nil else { return then(Status()) }
            sync { [self] in then(machine?.status ?? Status()) }
        }
    }

    @inline(__always)
    private func put(_ call: Call, isUrgent: Bool = false) {
        tell(inbox.put(call), isUrgent: isUrgent)
    }

    private func tell(_ isNeeded: Bool, isUrgent: Bool) {
        if isUrgent {
            queue.run { [self] in drain() }
        } else if isNeeded {
            queue.run(at: SystemClock.monotonic() + Self.pause) { [self] in drain() }
        }
    }
}

// MARK: On the queue

extension Client {
    private func begin(_ configuration: Configuration, _ clock: Clock) {
        guard machine == nil else { return configuration.log("a second start is ignored") }
        let phone = Phone(
            configuration,
            tell: { [self] number, reply in queue.run { self.posted(number, reply) } },
            off: { [inbox] in inbox.isOff() })
        guard let phone else {
            inbox.release(isStuck: true)
            return configuration.log(
                "cannot start: the key is not KEYID:SECRET with 43 characters of base64url, or a JWK of"
                    + " P-256; or the server is not http:// or https:// with a host")
        }
        log = configuration.log
        began = SystemClock.monotonic()
        inbox.start()
        let folder = configuration.limits.isDebug ? "/debug" : ""
        machine = Machine(
            phone, disk: FolderDisk(configuration.folder + folder, protect: Storage.protect),
            limits: configuration.limits, clock: clock, fingerprint: phone.fingerprint,
            resource: Device.resource(version: configuration.version))
        drain()
    }

    /// Appends what was called, in its order.
    private func drain() {
        // Before the journal is open nothing can be appended.
        guard let machine, machine.isOpen else {
            let isStuck = machine != nil && SystemClock.monotonic() - began >= Self.patience
            inbox.release(isStuck: isStuck)
            return setAlarm()
        }
        while let batch = inbox.take() { machine.take(batch.calls, dropped: batch.dropped) }
        machine.considerUpload()
        setAlarm()
    }

    private func posted(_ number: Int, _ reply: Reply) {
        machine?.posted(number, reply)
        setAlarm()
    }

    private func ring() {
        alarm = nil
        machine?.tick()
        drain()
    }

    private func setAlarm() {
        let moment = machine?.alarm
        guard moment != alarm?.moment else { return }
        if let alarm { queue.cancel(alarm.number) }
        alarm = moment.map { moment in
            (moment, queue.run(at: moment) { [self] in ring() })
        }
    }
}
