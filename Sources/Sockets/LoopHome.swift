import Glibc
import Synchronization

/// What other threads see of a loop.
final class LoopHome: Sendable {
    let index: Int
    let mailbox = Mailbox()
    /// Connections that the loop has, or is about to have.
    let load = Atomic<Int>(0)
    /// Its incomplete requests.
    let coming = ComingRequestsView()
    /// When the last turn began in which it has read from the connections that were ready: nanoseconds of the
    /// monotonic clock.
    let turnedAt = Atomic<Int64>(.min)
    /// Bytes received from clients.
    let received = LoopCount()
    /// The eventfd of its epoll.
    private let wakeDescriptor: Int32
    private let thread = Atomic<UInt>(0)
    /// Answers given on the loop's own thread: no lock, no wake. Touched on that thread only.
    nonisolated(unsafe) var localAnswers: [AddressedResponse] = []
    /// What to call when a client goes. Touched on the loop's thread only.
    nonisolated(unsafe) var departures: [(ConnectionAddress, @Sendable () -> Void)] = []

    init(index: Int, wakeDescriptor: Int32) {
        self.index = index
        self.wakeDescriptor = wakeDescriptor
    }

    /// To be called on the loop's thread before anything else.
    func settle() { thread.store(Self.currentThread, ordering: .releasing) }

    /// To be called on the loop's thread after everything else: another may get its number.
    func leave() { thread.store(0, ordering: .releasing) }

    var isCurrent: Bool { thread.load(ordering: .acquiring) == Self.currentThread }

    func respond(_ answer: AddressedResponse) {
        if isCurrent {
            localAnswers.append(answer)
        } else if !post(.answer(answer)) {
            answer.response.stream?.cancel()
        }
    }

    func whenGone(_ address: ConnectionAddress, _ action: @escaping @Sendable () -> Void) {
        precondition(isCurrent, "whenGone belongs on the loop's thread")
        departures.append((address, action))
    }

    /// - Returns: `false` if the loop has ended.
    @discardableResult
    func post(_ message: Mailbox.Message) -> Bool { mailbox.post(message, wake: wake) }

    /// Messages wake the loop only with `releaseWakes`.
    func holdWakes() { mailbox.hold() }

    /// To be called once for each `holdWakes`.
    func releaseWakes() { mailbox.release(wake: wake) }

    private func wake() {
        var one: UInt64 = 1
        // It could fail only where the counter is full.
        _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    private static var currentThread: UInt { pthread_self() }
}

/// A count that one thread alone adds to and any may read: an addition in its cache, no locked
/// instruction.
final class LoopCount: Sendable {
    private let count = Atomic<Int>(0)

    /// On its loop's thread only.
    func add(_ more: Int) {
        count.store(count.load(ordering: .relaxed) &+ more, ordering: .relaxed)
    }

    var value: Int { count.load(ordering: .relaxed) }
}
