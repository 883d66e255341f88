import Events
import Foundation
import Ingest
import JSON
import Testing

@testable import Service

/// docs/protocol.md says what the code does: its tables are made from the rules, and rewritten where
/// `WRITE_TABLES` is set (`make tables`).
@Suite("tables of the protocol", .serialized)
struct ProtocolTableTests {
    private static func file(_ page: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "docs/" + page)
    }

    /// Where the lines of a table stand in the page.
    private func place(of name: String, in lines: [String]) throws -> Range<Int> {
        let begin = try #require(lines.firstIndex { $0.hasPrefix("<!-- table \(name):") })
        let end = try #require(lines.firstIndex { $0 == "<!-- end of \(name) -->" })
        return begin + 2..<end - 1
    }

    private func page(_ name: String = "protocol.md") throws -> [String] {
        try String(contentsOf: Self.file(name), encoding: .utf8).components(separatedBy: "\n")
    }

    @Test(
        "those that are made from the rules are as they are made",
        arguments: ProtocolTable.all.map(\.name))
    func made(name: String) throws {
        let table = try #require(ProtocolTable.all.first { $0.name == name })
        var lines = try page(table.page)
        let place = try place(of: name, in: lines)
        if ProcessInfo.processInfo.environment["WRITE_TABLES"] != nil {
            lines.replaceSubrange(place, with: table.lines)
            try lines.joined(separator: "\n").write(
                to: Self.file(table.page), atomically: true, encoding: .utf8)
            return
        }
        #expect(Array(lines[place]) == table.lines, "make tables writes them anew")
    }

    @Test("the errors are those that a batch can get, each with its status")
    func errors() throws {
        let lines = try page()
        var told: [String: Int] = [:]
        for line in lines[try place(of: "errors", in: lines)].dropFirst(2) {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let status = try #require(Int(cells[0]))
            for match in cells[1].matches(of: /`([a-z-]+)`/) {
                told[String(match.output.1)] = status
            }
        }
        // What HTTP itself refuses and what only reports answer stand elsewhere.
        let elsewhere: Set<ProblemCode> = [
            .badRequest, .notFound, .methodNotAllowed, .uriTooLong, .headerTooLarge,
            .expectationFailed, .notImplemented, .versionNotSupported, .unknownReport,
            .unknownDevice, .missingParameter, .unknownParameter, .invalidParameter, .timeZoneGone,
            .reportTimeout, .reportTooLarge, .engineUnavailable,
        ]
        var expected = ProblemCode.allCases.filter { !elsewhere.contains($0) }
            .reduce(into: [:]) { $0[$1.rawValue] = $1.status }
        expected["rate-limited"] = 429
        #expect(told == expected)
    }

    @Test("the codes of HTTP are told, each with its status")
    func codesOfHTTP() throws {
        let text = try page().joined(separator: "\n")
        for code: ProblemCode in [
            .badRequest, .notFound, .methodNotAllowed, .requestTimeout, .uriTooLong,
            .expectationFailed, .headerTooLarge, .notImplemented, .versionNotSupported,
        ] {
            #expect(text.contains("`\(code.rawValue)` (\(code.status))"))
        }
    }

    @Test("the members of resource are those that are stored, in their order")
    func resource() throws {
        let lines = try page()
        let told = lines[try place(of: "resource", in: lines)].dropFirst(2).map {
            $0.split(separator: "|")[0].trimmingCharacters(in: CharacterSet(charactersIn: " `"))
        }
        #expect(told == Resource.members)
    }

    @Test("the ids that many devices share are all told")
    func shared() throws {
        let text = try page().joined(separator: "\n")
        let section = try #require(
            text.components(separatedBy: "### Ids that many devices share").last)
        let told = section.components(separatedBy: "\n## ")[0]
        for id in SharedIdentity.texts { #expect(told.contains("`\(id)`"), "\(id)") }
    }

    @Test("defaults that sentences name are the defaults")
    func defaults() {
        #expect(Setting.byName["max-batch-events"]?.fallback == "5000")
        #expect(BatchRule.eventCount.row.rule.contains("5,000"))
        #expect(Setting.byName["max-elements"]?.fallback == "1000000")
        #expect(BatchRule.elements.row.rule.contains("1,000,000"))
        #expect(Setting.byName["max-event-age"]?.fallback == "400d")
        #expect(EventRule.timeRange.row?.rule.contains("400 days") == true)
        #expect(Scanner.maxDepth == 16 && BatchRule.text.detail.contains("depth 16"))
    }
}
