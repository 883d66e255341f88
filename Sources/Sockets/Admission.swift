import HTTP1

/// What is to become of a request whose head has come.
package enum Admission {
    /// Read the body, of at most so many decoded octets, then call `handle` with the context: what
    /// the handler found out already.
    case readBody(limit: Int, context: AnyObject? = nil)
    /// Answer without the body. A short rest of it is read and dropped, else the connection ends.
    case answer(Response)
}
