import Query
import Reports
import StoreTestSupport
import Testing

@Suite("Tables")
struct TableTests {
    private func batch(_ device: String, _ days: [Int64]) -> SentBatch {
        SentBatch(device: device, id: "1", events: days.map { SentEvent("p", noon + $0 * day) })
    }

    private func lines(_ report: Report, isColoured: Bool = false) -> [String] {
        String(decoding: report.rendered(as: .table, isColoured: isColoured), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Contents with so many viewers each.
    private func contents(_ viewers: [(String, Int)]) throws -> Report {
        let batches = viewers.enumerated().flatMap { number, viewed in
            (0..<viewed.1).map { place in
                SentBatch(
                    device: "d\(place)", id: "\(number)",
                    events: [
                        SentEvent("content.view", noon, nil, [("content.id", "\"\(viewed.0)\"")])
                    ])
            }
        }
        return try TestStore(batches).ask("content", range("2026-03-28", "2026-03-28"))
    }

    @Test("a bar shows a figure beside the greatest one, in eighths of a character")
    func bars() throws {
        let drawn = lines(try contents([("a", 192), ("b", 96), ("c", 1), ("d", 13)]))[3...6]
        #expect(
            drawn.map { $0.split(separator: " ").last.map(String.init) } == [
                String(repeating: "█", count: 24), String(repeating: "█", count: 12), "█▋", "▏",
            ])
        let single = lines(try contents([("a", 3)]))
        #expect(single.count == 5 && !single.joined().contains("█"))
    }

    @Test("retention has a sparkline, which ends where nothing is known yet")
    func sparkline() throws {
        let store = try TestStore(
            (0..<7).map { batch("a\($0)", [-3, -2]) } + [batch("b", [-3, -1]), batch("c", [-1])])
        let report = try store.ask(
            "retention", range("2026-03-25", "2026-03-28") + [("periods", "3")])
        #expect(
            lines(report)[2...] == [
                "cohort      size  p0  p1  p2  p3",
                "2026-03-25     8   8   7   1   0  █▇▂▁",
                "2026-03-26     0   0   0   0   -  ▁▁▁",
                "2026-03-27     1   1   0   -   -  █▁",
                "2026-03-28     0   0   -   -   -  ▁", "",
            ])
    }

    @Test("what is hidden is not drawn")
    func hidden() throws {
        let store = try TestStore([batch("a", [-1, 0]), batch("b", [0]), batch("c", [0])])
        let report = try store.ask("active", range("2026-03-27", "2026-03-28"), minGroup: 2)
        let rows = lines(report)[3...4].map { $0 }
        #expect(rows[0].hasSuffix(" yes") && rows[1].hasSuffix(" ████████████████████████"))
    }

    @Test("what turns a line around is shown by its octets, and counted so")
    func controls() throws {
        let rows = lines(try contents([("a\u{61C}b\u{2067}", 2), ("c", 2)]))
        #expect(rows[3].hasPrefix("a\\xD8\\x9Cb\\xE2\\x81\\xA7  "))
        #expect(rows[4].hasPrefix("c" + String(repeating: " ", count: 21 + 2)))
    }

    @Test("names in wide characters and with combining marks stand in line")
    func widths() throws {
        let rows = lines(try contents([("模型", 2), ("e\u{301}é", 2), ("\u{1F600}", 2)]))
        #expect(
            rows[3...5].map { $0.prefix { $0 != "2" } }
                == ["e\u{301}é           ", "模型         ", "\u{1F600}           "])
    }

    @Test("colours change no character")
    func colours() throws {
        let report = try contents([("a", 3), ("b", 1)])
        let coloured = lines(report, isColoured: true).joined(separator: "\n")
        #expect(coloured.hasPrefix("\u{1B}[1mcontent  shop"))
        #expect(coloured.contains("\u{1B}[36m████████\u{1B}[0m"))
        #expect(
            coloured.replacing(/\u{1B}\[[0-9]+m/, with: "")
                == lines(report).joined(separator: "\n"))
        #expect(!lines(report).joined().contains("\u{1B}"))
        for format in [ReportFormat.json, .csv] {
            #expect(report.rendered(as: format, isColoured: true) == report.rendered(as: format))
        }
    }
}
