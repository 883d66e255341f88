/// One step of the engine's schema: a file of `Migrations/clickhouse`, embedded. Steps only add.
package struct EngineMigration: Sendable {
    /// From 1, without holes.
    package let version: Int64
    /// The file's name.
    package let name: String
    /// The file's text, UTF-8.
    package let sql: [UInt8]

    /// All of them in order. Kept by hand; a test compares it with the folder.
    package static let all = [
        EngineMigration(
            version: 1, name: "0001_tables.sql", sql: PackageResources._001_tables_sql)
    ]

    /// The schema that this program knows.
    package static var newest: Int64 { all.last?.version ?? 0 }

    /// Its statements for a server, in order.
    /// - Parameters:
    ///   - replicas: the path of the shard's tables in the keeper; nil: its tables have no replicas
    ///   - syncs: the server can write rows to the disk before it says that they are there
    func statements(replicas: String?, syncs: Bool) -> [String] {
        let text = String(decoding: sql, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("--") }
            .joined(separator: "\n")
        let settings =
            "SETTINGS index_granularity = 1024" + (syncs ? ", fsync_after_insert = 1" : "")
        return Self.paragraphs(text).map { paragraph in
            let table = Self.table(of: paragraph)
            return Self.replacingEngine(in: paragraph) { version in
                guard let replicas else { return "ENGINE = ReplacingMergeTree(\(version))" }
                let parts =
                    ["'\(replicas)/\(table)'", "'{replica}'"] + (version.isEmpty ? [] : [version])
                return "ENGINE = ReplicatedReplacingMergeTree(\(parts.joined(separator: ", ")))"
            }.replacing(" SETTINGS", with: " " + settings)
        }
    }

    private static func paragraphs(_ text: String) -> [String] {
        var paragraphs: [String] = []
        var lines: [Substring] = []
        let all: [Substring] = text.split(separator: "\n", omittingEmptySubsequences: false)
        for line in all + [""] {
            if line.isEmpty {
                if !lines.isEmpty { paragraphs.append(lines.joined(separator: "\n")) }
                lines = []
            } else {
                lines.append(line)
            }
        }
        return paragraphs
    }

    /// `batch` of `CREATE TABLE IF NOT EXISTS batch (…`.
    private static func table(of statement: String) -> Substring {
        let words = statement.split { $0 == " " || $0 == "\n" }
        guard words.count > 5, words[0] == "CREATE" else { return "" }
        return words[5]
    }

    private static func replacingEngine(
        in statement: String, _ engine: (_ version: String) -> String
    ) -> String {
        guard let range = statement.firstRange(of: "ENGINE("),
            let end = statement[range.upperBound...].firstIndex(of: ")")
        else { return statement }
        return statement[..<range.lowerBound]
            + engine(String(statement[range.upperBound..<end]))
            + statement[statement.index(after: end)...]
    }
}
