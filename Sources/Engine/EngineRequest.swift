import Curl

/// A statement, with rows that go with it.
package struct EngineRequest: Sendable {
    /// What it does, by which its settings are chosen.
    package enum Effect: Sendable { case reads, writes, rewrites, changes }

    /// The text of the statement.
    package let statement: String
    /// What it does.
    package let effect: Effect
    /// Rows, in the form that the statement names.
    package let rows: [UInt8]
    /// By which the engine knows it while it runs; empty: it makes one up.
    var name = ""

    /// A statement that reads. The answer is in RowBinary.
    package static func read(_ statement: String) -> EngineRequest {
        EngineRequest(statement: statement + " FORMAT RowBinary", effect: .reads, rows: [])
    }

    /// Rows for the named columns of a table, in RowBinary.
    package static func insert(
        _ rows: [UInt8], into table: String, _ columns: [String]
    ) -> EngineRequest {
        EngineRequest(
            statement: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) FORMAT RowBinary",
            effect: .writes, rows: rows)
    }

    /// A statement that makes rows of rows.
    package static func rewrite(_ statement: String) -> EngineRequest {
        EngineRequest(statement: statement, effect: .rewrites, rows: [])
    }

    /// A statement that changes tables, or rows where they are.
    package static func change(_ statement: String) -> EngineRequest {
        EngineRequest(statement: statement, effect: .changes, rows: [])
    }

    /// As HTTP has it: a statement with rows stands in the URL, any other one is the body.
    /// - Parameters:
    ///   - known: settings that the server knows; nil before it was asked
    ///   - inDatabase: whether names of tables are those of the database; not before there is one
    ///   - seconds: how long the engine may compute
    func http(
        _ access: EngineAccess, known: Set<String>?, inDatabase: Bool, seconds: Int
    ) -> HTTPRequest {
        var settings = EngineSettings.all
        switch effect {
        case .reads: settings += EngineSettings.reading
        case .writes: settings += EngineSettings.writing
        case .rewrites: settings += EngineSettings.reading + EngineSettings.writing
        case .changes: settings += EngineSettings.changing
        }
        var path = "/?max_execution_time=\(seconds)" + EngineSettings.query(settings, known: known)
        if inDatabase { path += "&database=" + EngineURL.escaped(access.database) }
        if !name.isEmpty { path += "&query_id=" + EngineURL.escaped(name) }
        if !rows.isEmpty { path += "&query=" + EngineURL.escaped(statement) }
        var fields = [HTTPRequest.Field("X-ClickHouse-User", access.user)]
        if !access.password.isEmpty {
            fields.append(HTTPRequest.Field("X-ClickHouse-Key", access.password))
        }
        fields.append(HTTPRequest.Field("Content-Type", "application/octet-stream"))
        var request = HTTPRequest(
            .post, path, fields: fields, body: rows.isEmpty ? Array(statement.utf8) : rows)
        request.asksFirst = false
        return request
    }
}

/// Texts in a URL (RFC 3986 §2).
enum EngineURL {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Everything but letters, digits and `-._~` as `%XX`.
    static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
