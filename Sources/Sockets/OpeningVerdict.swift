import HTTP1

/// What is to become of a request whose body has begun to come.
package enum OpeningVerdict {
    /// Read the body to its end.
    case readOn
    /// Ask again when so many bytes of it are there, which is more than there are now.
    case needs(Int)
    /// Answer without the rest of the body. A short one is read and dropped, else the connection ends.
    case answer(Response)
}
