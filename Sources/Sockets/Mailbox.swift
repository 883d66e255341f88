import Synchronization

/// Messages from other threads to a loop. Many messages cause one wake.
final class Mailbox: Sendable {
    enum Message: Sendable {
        case answer(AddressedResponse)
        /// A streamed body has more.
        case more(ConnectionAddress)
        /// A connection accepted by another loop.
        /// - Parameter acceptedAt: nanoseconds of the monotonic clock
        case adopt(descriptor: Int32, group: Int, acceptedAt: Int64)
        /// A connection has ended: there is room for another.
        case room
        /// Incomplete requests hold too much memory, and one of this loop's has to end.
        case makeRoom
        case stopAccepting
        /// Call this in the next turn: proof that the loop turns.
        case call(@Sendable () -> Void)
        /// Leave when all connections have ended, at the latest then (monotonic nanoseconds).
        case drain(deadline: Int64)
    }

    private struct State {
        var messages: [Message] = []
        var isWoken = false
        /// So many have asked that the loop is not woken for the time being.
        var holders = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Whether the loop can still be woken. A lock of its own: the loop that has just been woken would
    /// run into the other one.
    private let isEnded = Mutex(false)

    /// Puts a message in.
    /// - Parameter wake: called if the loop sleeps, never when it has ended.
    /// - Returns: `false` if the loop has ended.
    func post(_ message: Message, wake: () -> Void) -> Bool {
        var mustWake = false
        let isTaken = state.withLock { state in
            if state.isClosed { return false }
            state.messages.append(message)
            mustWake = !state.isWoken && state.holders == 0
            if mustWake { state.isWoken = true }
            return true
        }
        if mustWake { isEnded.withLock { if !$0 { wake() } } }
        return isTaken
    }

    /// Messages wake nobody until `release`: for who posts many at once. A loop that turns finds them
    /// nevertheless.
    func hold() { state.withLock { $0.holders += 1 } }

    /// To be called once for each `hold`.
    /// - Parameter wake: called if the loop sleeps over messages, never when it has ended.
    func release(wake: () -> Void) {
        let mustWake = state.withLock { state in
            state.holders -= 1
            guard state.holders == 0, !state.isWoken, !state.messages.isEmpty else { return false }
            state.isWoken = true
            return true
        }
        if mustWake { isEnded.withLock { if !$0 { wake() } } }
    }

    /// Swaps the messages for an emptied array, so that both arrays keep their memory.
    func take(_ into: inout [Message]) {
        into.removeAll(keepingCapacity: true)
        state.withLock { state in
            swap(&state.messages, &into)
            state.isWoken = false
        }
    }

    /// Takes no more messages, and returns those that are left.
    func close() -> [Message] {
        isEnded.withLock { $0 = true }
        return state.withLock { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
    }
}
