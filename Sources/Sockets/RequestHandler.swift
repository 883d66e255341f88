import HTTP1

/// What a server does with requests. One instance a loop, made by the factory, used only on that
/// loop's thread; it must not wait there.
package protocol RequestHandler: AnyObject {
    /// The head is complete and no byte of the body has been asked for (no 100 has been sent): go
    /// on or answer now. `bytes` holds the head; ranges of `head` count from its first byte.
    func admit(_ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ exchange: Exchange)
        -> HeadVerdict
    /// So many of the body's first bytes are here as `admit` asked for, and the body is not whole. Others
    /// have to be asked for again.
    func judge(
        opening: Span<UInt8>, _ head: borrowing RequestHead, context: AnyObject?,
        _ exchange: Exchange
    ) -> OpeningVerdict
    /// The whole request is here; `body` is decoded and lives until this returns. Answer now or later
    /// through `exchange`, exactly once. `context` is what `admit` gave along.
    func handle(
        _ head: borrowing RequestHead, _ bytes: Span<UInt8>, body: Span<UInt8>,
        context: AnyObject?, _ exchange: Exchange)
    /// The answer for a request that the protocol refuses; it need not say that it closes.
    /// - Parameters:
    ///   - head: as much as was understood of it; `bytes` may end before it does
    ///   - context: what `admit` gave along, if the head was admitted
    ///   - arrival: when the request began, milliseconds since 1970
    func refusal(
        _ reason: RequestRefusal, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
        context: AnyObject?, arrival: Int64
    ) -> Response
    /// All whom the loop heard in this turn have been read: go on with what `handle` has put off, for some 2 ms.
    /// - Returns: whether something is put off still; then the next turn does not wait for others.
    func turnEnded() -> Bool
    /// The request that `handle` got with this context has its answer, which leaves now. Not told of
    /// what `admit` or `refusal` answered themselves, nor where the client went before.
    func answered(_ context: AnyObject, status: Int)
}

extension RequestHandler {
    /// Accepts every opening.
    package func judge(
        opening: Span<UInt8>, _ head: borrowing RequestHead, context: AnyObject?,
        _ exchange: Exchange
    ) -> OpeningVerdict { .readOn }

    /// Puts nothing off.
    package func turnEnded() -> Bool { false }

    /// Ignores it.
    package func answered(_ context: AnyObject, status: Int) {}
}

/// What a handler decides once a request's head is complete.
package enum HeadVerdict {
    /// Read the body, of at most so many decoded bytes, then call `handle` with the context: what
    /// the handler found out already.
    /// - Parameter openingBytes: have `judge(opening:)` called as soon as so many of them are there,
    ///   if that is before the body is whole
    case readBody(limit: Int, context: AnyObject? = nil, openingBytes: Int? = nil)
    /// Call `handle` with the context and without a body. One that follows is not kept: a short rest of
    /// it is read and dropped, else the connection ends.
    case handle(context: AnyObject? = nil)
    /// Answer without the body. A short rest of it is read and dropped, else the connection ends.
    case answer(Response)
}

/// What a handler decides once the opening of a body is there.
package enum OpeningVerdict {
    /// Read the body to its end.
    case readOn
    /// Ask again when this many bytes of it are there, more than there are now.
    case needs(Int)
    /// Answer without the rest of the body. A short one is read and dropped, else the connection ends.
    case answer(Response)
}
