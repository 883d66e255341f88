import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What other threads see of a loop.
final class LoopHome: Sendable {
    let index: Int
    let mailbox = Mailbox()
    /// Connections that the loop has, or is about to have.
    let load = Atomic<Int>(0)
    /// Its requests that are still coming.
    let coming = ComingRequestsView()
    /// When the last turn began in which it has read from whoever was ready: nanoseconds of the monotonic
    /// clock.
    let turnedAt = Atomic<Int64>(.min)
    /// Octets that have come from clients.
    let received = LoopCount()
    private let waker: Waker
    private let thread = Atomic<UInt>(0)
    /// Answers given on the loop's own thread: no lock, no wake. Touched on that thread only.
    nonisolated(unsafe) var localAnswers: [Answer] = []
    /// What to call when a client goes. Touched on the loop's thread only.
    nonisolated(unsafe) var departures: [(ConnectionAddress, @Sendable () -> Void)] = []

    init(index: Int, waker: Waker) {
        self.index = index
        self.waker = waker
    }

    /// To be called on the loop's thread before anything else.
    func settle() { thread.store(Self.currentThread, ordering: .releasing) }

    /// To be called on the loop's thread after everything else: another may get its number.
    func leave() { thread.store(0, ordering: .releasing) }

    var isCurrent: Bool { thread.load(ordering: .acquiring) == Self.currentThread }

    func respond(_ answer: Answer) {
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
    func post(_ message: Mailbox.Message) -> Bool {
        mailbox.post(message) { waker.wake() }
    }

    // A pthread_t is a number or a pointer, as the platform likes.
    private static var currentThread: UInt {
        #if canImport(Glibc)
        pthread_self()
        #else
        UInt(bitPattern: pthread_self())
        #endif
    }
}
