import Foundation
import Testing

/// A real engine, as the environment names them: `SOJOURN_TEST_ENGINES`, addresses of HTTP interfaces
/// divided by spaces, with the user and password that they need (`SOJOURN_TEST_ENGINE_USER`,
/// `SOJOURN_TEST_ENGINE_PASSWORD`).
struct TestEngine: Sendable, CustomTestStringConvertible {
    let address: String
    /// Of its own for each server: tests that use it run one after the other.
    let database = "test_\(UInt64.random(in: 0 ..< .max))"

    static let all: [TestEngine] =
        (environment["SOJOURN_TEST_ENGINES"] ?? "")
        .split(separator: " ").map { TestEngine(address: String($0)) }

    private static let environment = ProcessInfo.processInfo.environment

    var testDescription: String { address }

    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    /// The bytes of a good answer, by the program `curl`.
    @discardableResult
    func ask(_ statement: String, _ body: [UInt8] = [], in database: String? = nil) throws -> Data {
        let folder = FileManager.default.temporaryDirectory.path + "/engine-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(body).write(to: URL(filePath: folder + "/body"))
        var question = URLComponents()
        question.queryItems = [
            URLQueryItem(name: "query", value: statement),
            URLQueryItem(name: "wait_end_of_query", value: "1"),
            URLQueryItem(name: "database", value: database ?? self.database),
        ]
        let query = (question.percentEncodedQuery ?? "").replacing("+", with: "%2B")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let user = Self.environment["SOJOURN_TEST_ENGINE_USER"] ?? "sojourn"
        let password = Self.environment["SOJOURN_TEST_ENGINE_PASSWORD"] ?? ""
        process.arguments = [
            "curl", "-s", "-m", "60", "-o", folder + "/answer", "-w", "%{http_code}",
            "-H", "X-ClickHouse-User: " + user, "-H", "X-ClickHouse-Key: " + password,
            "--data-binary", "@" + folder + "/body", address + "/?" + query,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let status = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let answer = FileManager.default.contents(atPath: folder + "/answer") ?? Data()
        guard String(decoding: status, as: UTF8.self) == "200" else {
            let text = String(decoding: answer.prefix(400), as: UTF8.self)
            throw Refused(description: "\(String(decoding: status, as: UTF8.self)) \(text)")
        }
        return answer
    }

    /// Runs `body` with the three tables that rows are made for.
    func withTables(_ body: () throws -> Void) throws {
        try ask("CREATE DATABASE \(database)", in: "default")
        defer { _ = try? ask("DROP DATABASE \(database)", in: "default") }
        for table in Self.tables { try ask(table) }
        try body()
    }

    private static let resource = """
        os_name String, os_version String, device_model String, device_manufacturer String,
        service_version String, app_build_id String, sdk_name String, sdk_version String
        """

    private static let tables = [
        """
        CREATE TABLE batch (
            app String, device FixedString(16), batch_id String, version UInt64, node String,
            unit UInt64, received_at Int64, clock_shift Int64, profile String, key String,
            sequence Int64, dropped_events Int64, body_bytes Int64, accepted UInt32,
            rejected UInt32, shared UInt8, \(resource), first_time Int64, last_time Int64,
            event Nested(place UInt16, time Int64, name String, session String, subject String,
                value Int64, keys Array(String), values Array(String), numbers Array(Float64)),
            rejection Nested(code String, events UInt32), done Nested(content String, time Int64))
        ENGINE = ReplacingMergeTree(version) ORDER BY (app, device, batch_id)
        SETTINGS index_granularity = 1024
        """,
        """
        CREATE TABLE arrival (
            app String, quarter Int64, device FixedString(16), batch_id String, node String,
            times UInt64, body_bytes Int64, os_name String, os_version String,
            device_model String, service_version String)
        ENGINE = ReplacingMergeTree(times) ORDER BY (app, quarter, device, batch_id, node)
        """,
        """
        CREATE TABLE refusal (
            app String, quarter Int64, code String, node String, batches UInt64)
        ENGINE = ReplacingMergeTree(batches) ORDER BY (app, quarter, code, node)
        """,
    ]
}
