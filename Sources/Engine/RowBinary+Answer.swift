import Curl

extension EngineError {
    /// An answer that is not what was asked for.
    package init(_ failure: RowBinary.Failure, from server: String) {
        self.init(.cut, "engine \(server): \(failure)")
    }
}

extension RowBinary.Reader {
    /// A text of an answer of a server.
    mutating func text(_ server: ServerAddress) throws(EngineError) -> String {
        do throws(RowBinary.Failure) { return try string() } catch {
            throw EngineError(error, from: server.origin)
        }
    }
}
