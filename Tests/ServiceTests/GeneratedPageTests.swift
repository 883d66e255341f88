import Events
import Foundation
import Testing

@testable import Service

/// Pages that are made of tables in the code. `make docs` (WRITE_DOCS=1) writes them anew.
@Suite("pages made of tables")
struct GeneratedPageTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let pages: [String: String] = [
        "docs/metrics.md": MetricsPage.markdown, "docs/settings.md": SettingsPage.markdown,
        "docs/settings.roff": SettingsPage.roff,
    ]

    @Test("a page says what its table says", arguments: pages.keys.sorted())
    func same(path: String) throws {
        let file = Self.root.appending(path: path)
        let made = try #require(Self.pages[path])
        if ProcessInfo.processInfo.environment["WRITE_DOCS"] == "1" {
            try made.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == made, "make docs writes it anew")
    }

    @Test("every setting stands in the contract's page, with its default")
    func operation() throws {
        let text = try String(
            contentsOf: Self.root.appending(path: "docs/operation.md"), encoding: .utf8)
        for setting in Setting.all {
            let row = text.split(separator: "\n").first { $0.hasPrefix("| `\(setting.name)` |") }
            #expect(row != nil, "\(setting.name)")
            if let fallback = setting.fallback, let row {
                #expect(row.contains("`\(fallback)`"), "\(row)")
            }
        }
    }

    @Test(
        "errors.md has a section for every code, in the table's order, with status and Retry-After")
    func errors() throws {
        let text = try String(
            contentsOf: Self.root.appending(path: "docs/errors.md"), encoding: .utf8)
        let sections = text.components(separatedBy: "\n## ").dropFirst()
        let codes = sections.map { $0.split(separator: "\n").first.map(String.init) ?? "" }
        #expect(codes == ProblemCode.allCases.map(\.rawValue))
        for (section, code) in zip(sections, ProblemCode.allCases) {
            let wait = code.row.retryAfter.map { ", `Retry-After: \($0)`" } ?? ""
            #expect(section.contains("\(code.status) \(code.row.title)\(wait)"), "\(code.rawValue)")
            #expect(section.contains(code.row.detail), "\(code.rawValue)")
            #expect(section.contains("**Client:**") && section.contains("**Operator:**"))
        }
    }

    @Test("where a code has one cause its answer says what errors.md says of it")
    func details() {
        for problem in [
            Problem(ingest: .rule(.text)), Problem(ingest: .rule(.elements)),
            Problem(ingest: .rule(.eventCount)), Problem(http: .unknownMethod),
        ] {
            #expect(problem.detail == problem.code.row.detail, "\(problem.code.rawValue)")
        }
    }

    @Test("errors.md has a section for every code of events, with what its rules say")
    func eventErrors() throws {
        let text = try String(
            contentsOf: Self.root.appending(path: "docs/errors.md"), encoding: .utf8)
        let sections = text.components(separatedBy: "\n### ").dropFirst()
        let codes = sections.map { $0.split(separator: "\n").first.map(String.init) ?? "" }
        #expect(Set(codes) == Set(EventRule.allCases.map(\.code)))
        #expect(Set(codes).count == codes.count)
        for (section, code) in zip(sections, codes) {
            for rule in EventRule.allCases where rule.code == code {
                #expect(section.contains(rule.detail), "\(code)")
            }
            #expect(section.contains("**Client:**") && section.contains("**Operator:**"))
        }
    }

    private static let checker = (ProcessInfo.processInfo.environment["PATH"] ?? "")
        .split(separator: ":").map { "\($0)/promtool" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test(
        "promtool finds nothing wrong with the rules, their tests and the configuration",
        .enabled(if: checker != nil),
        arguments: [
            ["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"],
            ["check", "config", "prometheus.yml"],
        ])
    func promtool(arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: try #require(Self.checker))
        process.arguments = arguments
        process.currentDirectoryURL = Self.root.appending(path: "deploy/prometheus")
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test(
        "the alert rules and the dashboard use metrics and label values that there are",
        arguments: [
            "deploy/prometheus/alerts.yml", "deploy/grafana/sojourn.json",
            "deploy/prometheus/alerts_test.yml",
        ])
    func deployed(path: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
            .replacingOccurrences(of: "\\\"", with: "\"")
        let known = Set(Metric.allCases.flatMap(\.sampleNames))
        let used = text.matches(of: /\b(sojourn|process)_[a-z_]+/).map { String($0.output.0) }
        #expect(used.count >= 5)
        for name in used { #expect(known.contains(name), "\(path): \(name)") }
        let values: [String: Set<String>] = [
            "outcome": Set(BatchOutcome.all.map(\.label)).union(["accepted", "rejected"]),
            "status": Set(StatusLabel.texts), "code": Set(Meter.Layout.codes),
            "profile": Set(Meter.Layout.profiles.map { $0?.name ?? "unknown" }),
        ]
        for match in text.matches(of: /\b(outcome|status|code|profile)(=|=~|!~|!=)"([^"]*)"/) {
            for value in match.output.3.split(separator: "|") {
                #expect(
                    values[String(match.output.1)]?.contains(String(value)) == true,
                    "\(path): \(match.output.0)")
            }
        }
    }
}
