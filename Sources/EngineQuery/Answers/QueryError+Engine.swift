import Engine
import Query

extension QueryError {
    /// An error of the engine as one of the protocol.
    package init(_ error: EngineError) {
        let kind: Kind =
            switch error.kind {
            case .interrupted: .interrupted
            // What the engine says when a statement took as long as it may.
            case .exception where error.code == 159: .interrupted
            case .refused, .timeout, .status, .cut, .exception, .schema, .stranger: .unavailable
            }
        self.init(kind, error.description, cause: error)
    }

    /// An answer that cannot be read: it was cut on its way.
    init(_ failure: RowBinary.Failure) {
        self.init(.unavailable, "cannot read the engine's answer: \(failure)", cause: failure)
    }
}

extension EngineReader {
    /// Calls `body`. What it throws is an interruption where the report has to end: the time for an answer may
    /// have run out with that of the report.
    func ask<T>(_ body: () throws(EngineError) -> T) throws(QueryError) -> T {
        do throws(EngineError) {
            return try body()
        } catch {
            let why = error
            do throws(EngineError) {
                try check()
            } catch {
                throw QueryError(error)
            }
            throw QueryError(why)
        }
    }
}
