import Synchronization

/// One process of an app with its client, as on a phone; its files are in memory, and its time and network are
/// whatever moves them. Used by one thread.
///
/// It stands here, and not where it is used, so that the state machine is compiled for these very types.
package final class MemoryClient {
    /// What it is told of, and what it asks for.
    package let phone: MemoryPhone
    private let machine: Machine<MemoryPhone>
    /// Set when the upload of the background is over; nil in the foreground.
    private var suspension: Suspension?

    /// What a client calls back, perhaps from a thread of its own.
    private final class Suspension: Sendable {
        let isDue = Atomic(false)
    }

    /// A process that is launched on these files.
    ///
    /// - Parameter resource: What its batches say of device and app, as JSON, but for the installation's id.
    package init(
        _ phone: MemoryPhone, folder: MemoryFolder, limits: Limits, resource: [UInt8]
    ) {
        self.phone = phone
        machine = Machine(
            phone, disk: MemoryDisk(folder: folder), limits: limits,
            clock: Clock(wall: phone.wall, monotonic: phone.monotonic), fingerprint: 1,
            resource: resource)
    }

    /// Whether the system lets it run: in the foreground, and until its upload in the background is over.
    package var isRunning: Bool { suspension?.isDue.load(ordering: .relaxed) != true }

    /// When it wants to be woken, ms; nil for never.
    package var alarm: Int64? {
        guard isRunning, let alarm = machine.alarm else { return nil }
        return (alarm + 999_999) / 1_000_000
    }

    /// The batch on its way.
    package var frozen: Ledger.Frozen? { machine.journal?.ledger.frozen }

    /// The account of its files.
    package var status: Status { machine.status }

    /// The app comes to the foreground.
    package func open() {
        suspension = nil
        take(.foreground)
    }

    /// The app goes to the background; when its upload is over, or out of time, it is suspended.
    package func close() {
        let suspension = Suspension()
        self.suspension = suspension
        take(.background(then: { suspension.isDue.store(true, ordering: .relaxed) }))
    }

    /// Records what the app calls.
    package func take(_ call: Call) {
        machine.take([TimedCall(call, at: phone.monotonic)])
        machine.considerUpload()
    }

    /// Does what is due.
    package func wake() { machine.tick() }

    /// What came of an attempt.
    package func posted(_ attempt: Int, _ reply: Reply) { machine.posted(attempt, reply) }
}
