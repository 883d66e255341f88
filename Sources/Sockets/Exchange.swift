import HTTP1

/// The way back for the answer to one request.
package struct Exchange: Sendable {
    /// When the request's first byte came, in milliseconds since 1970.
    package let arrival: Int64
    /// Which of the loops has the connection.
    package var loop: Int { home.index }

    let home: LoopHome
    let address: ConnectionAddress
    let sequence: UInt32

    /// Sends the answer; may be called from any thread. Only the first call counts; an answer for a
    /// connection that is gone is dropped.
    package func respond(_ response: Response) {
        home.respond(AddressedResponse(address: address, sequence: sequence, response: response))
    }

    /// Has `action` called on the loop when the client goes away (reset, or an end on both sides)
    /// before the answer. To be called inside `handle`, on the loop's thread.
    package func whenGone(_ action: @escaping @Sendable () -> Void) {
        home.whenGone(address, action)
    }
}

/// A connection's slot in its loop's table, and its generation, so that nothing meant for a connection
/// that is gone reaches the next one in that slot.
struct ConnectionAddress: Sendable, Equatable {
    var slot: UInt32
    var generation: UInt32

    /// As the 64 bits that epoll hands back.
    var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }

    init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    init(token: UInt64) {
        slot = UInt32(truncatingIfNeeded: token)
        generation = UInt32(truncatingIfNeeded: token >> 32)
    }
}

/// An answer on its way to its connection.
struct AddressedResponse: Sendable {
    var address: ConnectionAddress
    var sequence: UInt32
    var response: Response
}
