import HTTP1

/// What is to become of a request whose head has come.
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
