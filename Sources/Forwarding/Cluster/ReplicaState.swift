import Engine

/// Whether a replica has all that others have: only then its answers are complete to what nodes say.
package enum ReplicaState {
    /// Asks a replica, which has to be the same one each time.
    /// - Parameter ask: has it answer a statement that reads
    /// - Throws: what `ask` throws the first time; where the keeper is away it cannot be told: false
    package static func isCaughtUp(
        _ access: EngineAccess, _ ask: (_ statement: String) throws(EngineError) -> [UInt8]
    ) throws(EngineError) -> Bool {
        guard let unclear = unclear(try ask(statement(access))) else { return false }
        for path in unclear {
            guard let count = try? ask(entries(at: path)), count.allSatisfy({ $0 == 0 }) else {
                return false
            }
        }
        return true
    }

    /// For each table of which answers are made: where the keeper has it, whether it lacks something that others
    /// have, and whether that is not known: it looks the same before the first entry of its log and with it.
    private static func statement(_ access: EngineAccess) -> String {
        """
        SELECT zookeeper_path,
            toUInt8(is_readonly OR is_session_expired OR inserts_in_queue > 0
                OR (log_max_index >= log_pointer AND log_max_index + log_pointer > 0)),
            toUInt8(log_max_index + log_pointer = 0)
        FROM system.replicas
        WHERE database = \(EngineLiteral.text(access.database))
            AND table IN ('batch', 'arrival', 'refusal')
        """
    }

    /// Paths of tables whose logs are to be looked at; nil where the replica lacks something.
    private static func unclear(_ answer: [UInt8]) -> [String]? {
        var reader = RowBinary.Reader(answer)
        var paths: [String] = []
        while !reader.isAtEnd {
            guard let path = try? reader.string(), let isBehind = try? reader.uint8(),
                let isUnclear = try? reader.uint8(), isBehind == 0
            else { return nil }
            if isUnclear != 0 { paths.append(path) }
        }
        return paths
    }

    /// How many entries the log of a table has, as the keeper knows.
    private static func entries(at path: String) -> String {
        """
        SELECT toUInt64(sum(numChildren)) FROM system.zookeeper
        WHERE path = \(EngineLiteral.text(path)) AND name = 'log'
        """
    }
}
