import EngineTestSupport

/// What an engine had at some moment, kept in tables beside its own.
struct EngineCopy {
    static let tables = [
        "batch", "arrival", "refusal", "registry", "node", "erasure", "erasure_done",
    ]

    private let name: String

    /// - Parameter name: of its own among the copies of that engine
    init(_ engine: TestEngine, _ name: String) throws {
        self.name = name
        for table in Self.tables {
            try engine.change("CREATE TABLE IF NOT EXISTS \(name)_\(table) AS \(table)")
            try engine.change("TRUNCATE TABLE \(name)_\(table)")
            try engine.change("INSERT INTO \(name)_\(table) SELECT * FROM \(table)")
        }
    }

    /// The engine has that again, and nothing else.
    func putBack(_ engine: TestEngine) throws {
        for table in Self.tables {
            try engine.change("TRUNCATE TABLE \(table)")
            try engine.change("INSERT INTO \(table) SELECT * FROM \(name)_\(table)")
        }
    }
}
