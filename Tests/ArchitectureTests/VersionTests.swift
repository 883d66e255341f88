import Foundation
import Testing

/// The version stands in `BuildInfo`; the package, the manual and the metrics take it from the program.
@Suite("the version stands in one place")
struct VersionTests {
    private static let source = "Sources/Service/Program/BuildInfo.swift"
    /// The change log says what each version brought; measured figures say of which version they are.
    private static let mayNameIt = ["CHANGELOG.md", "docs/performance.md"]

    private static func version() throws -> String {
        let text = try Repository.text(source)
        return String(try #require(text.firstMatch(of: /version = "([^"]+)"/)).output.1)
    }

    @Test("the newest release of the change log is the version and its day")
    func changeLog() throws {
        let text = try Repository.text(Self.source)
        let day = try #require(text.firstMatch(of: /The day of the version, (\d{4}-\d{2}-\d{2})T/))
        let release = try #require(
            try Repository.text("CHANGELOG.md").firstMatch(of: /\n## \[(\d[^\]]*)\] - ([\d-]+)\n/))
        #expect(String(release.output.1) == (try Self.version()))
        #expect(release.output.2 == day.output.1)
        let written = try #require(text.firstMatch(of: /date: Int64 = ([\d_]+)/)).output.1
        let milliseconds = try #require(Int64(written.filter { $0 != "_" }))
        let moment = Date(timeIntervalSince1970: TimeInterval(milliseconds / 1000))
        #expect(moment.formatted(.iso8601.year().month().day()) == String(day.output.1))
    }

    @Test("no other file names the version")
    func elsewhere() throws {
        let version = try Self.version()
        var files = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "Package.swift", "Makefile"]
        files += ["Dockerfile", "CHANGELOG.md"]
        let endings = [".swift", ".md", ".sh", ".py", ".roff", ".json", ".yml", ".yaml", ".sql"]
        for folder in ["Sources", "docs", "scripts", "deploy", "Tests", "Benchmarks"] {
            files += try Repository.files(in: folder, endings: endings)
        }
        let naming = try files.filter { file in
            let text = try Repository.text(file)
            return text.ranges(of: version).contains { range in
                let before = text[..<range.lowerBound].last
                let after = text[range.upperBound...].first
                return before?.isNumber != true && before != "." && after?.isNumber != true
            }
        }
        #expect(naming.sorted() == (Self.mayNameIt + [Self.source]).sorted())
    }
}
