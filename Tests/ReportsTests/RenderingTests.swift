import Foundation
import Query
import Reports
import StoreTestSupport
import Testing

@Suite("Forms of an answer")
struct RenderingTests {
    private func report(_ names: [String]) throws -> Report {
        let store = try TestStore()
        return Report(
            try store.question("platforms", range("2026-03-28", "2026-03-28")),
            rows: names.map { name in
                Report.Row([
                    .text(name), .int(1_234_567), .null, .int(-3),
                    .decimal(units: 1_234_567, places: 3),
                    .bool(true), .decimal(units: 5, places: 6), .int(0),
                ])
            })
    }

    @Test(
        "a text that a spreadsheet would compute gets a quote, a number never",
        arguments: [
            ("=1+1", "'=1+1"), ("+1", "'+1"), ("-x", "'-x"), ("@at", "'@at"),
            ("\tTab", "\"'\tTab\""), ("\rCR", "\"'\rCR\""), ("\nLF", "\"'\nLF\""),
            ("\u{FF1D}1+1", "'\u{FF1D}1+1"), ("\u{FF0B}1", "'\u{FF0B}1"),
            ("\u{FF0D}1", "'\u{FF0D}1"), ("\u{FF20}SUM(A1)", "'\u{FF20}SUM(A1)"),
            ("\u{FF1C}", "\u{FF1C}"), ("\u{2212}1", "\u{2212}1"), ("1\u{FF1D}1", "1\u{FF1D}1"),
            ("x;=1+1;", "\"x;=1+1;\""), ("=1;2", "\"'=1;2\""), ("a\tb", "\"a\tb\""), (";", "\";\""),
            ("=a,b", "\"'=a,b\""), ("a=b", "a=b"), ("'x", "'x"),
            ("say \"hi\"", "\"say \"\"hi\"\"\""), ("a,b", "\"a,b\""),
            ("two\nlines", "\"two\nlines\""),
            ("", ""), (" lead", " lead"), ("日本", "日本"),
        ])
    func csv(text: String, cell: String) throws {
        let csv = String(decoding: try report([text]).rendered(as: .csv), as: UTF8.self)
        let head =
            "os.name,devices,device_share,sessions,duration,usage_share,engagement_index,sessions_per_device\r\n"
        #expect(
            Array(csv.utf8)
                == Array((head + cell + ",1234567,,-3,1234.567,true,0.000005,0\r\n").utf8))
    }

    @Test("JSON has the members and rows in the contract's order, as written")
    func json() throws {
        let json = try report(["a\"\u{1}é"]).json
        #expect(
            json == """
                {"report":"platforms","app":"shop","from":"2026-03-28","to":"2026-03-28",\
                "time_zone":"UTC","rows":[{"os.name":"a\\"\\u0001é","devices":1234567,\
                "device_share":null,"sessions":-3,"duration":1234.567,"usage_share":true,\
                "engagement_index":0.000005,"sessions_per_device":0}]}
                """)
    }

    @Test("a table has columns under each other, thousands apart, and no control character")
    func table() throws {
        let table = String(
            decoding: try report(["a\u{1B}[31m\u{202E}", "bb"]).rendered(as: .table), as: UTF8.self)
        let lines = table.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines[0] == "platforms  shop  2026-03-28 to 2026-03-28  UTC")
        #expect(lines[2].hasPrefix("os.name                  devices  device_share"))
        #expect(lines[3].hasPrefix("a\\x1B[31m\\xE2\\x80\\xAE  1,234,567             -        -3"))
        #expect(lines[4].hasPrefix("bb  "))
        #expect(lines[4].contains(" 1,234.567 "))
        let bar = "  " + String(repeating: "█", count: 24)
        #expect(lines[3...4].allSatisfy { $0.hasSuffix(bar) })
        #expect(
            lines[3...4].allSatisfy {
                $0.unicodeScalars.count == lines[2].unicodeScalars.count + 26
            })
        #expect(!table.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
    }

    @Test("figures of small groups go, keys and places stay, in JSON and CSV")
    func suppression() throws {
        let store = try TestStore([
            SentBatch(device: "a", id: "1", events: [SentEvent("p", noon)]),
            SentBatch(device: "a", id: "2", events: [SentEvent("p", noon - 40 * day)]),
            SentBatch(device: "b", id: "1", events: [SentEvent("p", noon - 40 * day)]),
        ])
        let asked = range("2026-02-01", "2026-03-31") + [("interval", "month")]
        let report = try store.ask("active", asked, minGroup: 2)
        #expect(
            report.json.hasSuffix(
                """
                "monthly_average":null,"rows":[{"date":"2026-02-01","active":2,"new":2},\
                {"date":"2026-03-01","active":null,"new":0,"suppressed":true}]}
                """))
        #expect(
            String(decoding: report.rendered(as: .csv), as: UTF8.self)
                == "date,active,new,suppressed\r\n2026-02-01,2,2,\r\n2026-03-01,,0,true\r\n")
        #expect(
            try store.ask(
                "active", range("2026-02-01", "2026-03-30") + [("interval", "month")], minGroup: 2
            )
            .json.contains("\"monthly_average\":2.000,"))
        #expect(try store.ask("active", asked).json.contains("\"monthly_average\":1.500,"))
    }

    @Test("the index describes every report, its parameters and columns, from the one table")
    func index() throws {
        let json = ReportIndex.json(apps: [], settings: ReportSettings(minGroup: 7))
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        #expect(object["min_group"] as? Int == 7)
        let reports = try #require(object["reports"] as? [[String: Any]])
        #expect(
            reports.map { $0["name"] as? String } == [
                "active", "sessions", "retention", "events", "counters", "platforms", "versions",
                "funnel", "content", "videos", "lifetime", "values", "hours", "lengths",
                "quality", "rejects", "export", "devices",
            ])
        for (report, definition) in zip(reports, ReportDefinition.all) {
            let parameters = try #require(report["parameters"] as? [[String: Any]])
            #expect(parameters.map { $0["name"] as? String } == definition.parameters.map(\.name))
            #expect(
                parameters.allSatisfy {
                    $0["type"] is String && $0["required"] is Bool && $0["repeatable"] is Bool
                })
            let columns = try #require(report["columns"] as? [[String: Any]])
            #expect(columns.map { $0["name"] as? String } == definition.columns.map(\.name))
        }
        let limit = try #require(
            (reports[5]["parameters"] as? [[String: Any]])?.first {
                $0["name"] as? String == "limit"
            })
        #expect(
            limit["minimum"] as? Int == 1 && limit["maximum"] as? Int == 10_000
                && limit["default"] as? String == "100")
        let steps = try #require(
            (reports[7]["parameters"] as? [[String: Any]])?.first {
                $0["name"] as? String == "step"
            })
        #expect(
            steps["type"] as? String == "matcher" && steps["required"] as? Bool == true
                && steps["fewest"] as? Int == 2 && steps["most"] as? Int == 10)
        let period = try #require((reports[2]["columns"] as? [[String: Any]])?.last)
        #expect(period["name"] as? String == "p" && period["numbered_by"] as? String == "periods")
        let value = try #require(
            (reports[3]["columns"] as? [[String: Any]])?.first { $0["name"] as? String == "value" })
        #expect(value["with"] as? String == "by" && value["without"] == nil)
    }

    @Test("the index ends with the apps, as their commands show them, and the smallest group shown")
    func indexOfApps() {
        let apps = [
            QueryApp(
                id: 2, name: "Z", title: "Neu & <b>\"neu\"</b>", timeZone: "Asia/Kolkata",
                sessionTimeout: 45_000),
            QueryApp(id: 1, name: "shop", timeZone: "UTC", sessionTimeout: 1_500),
        ]
        let json = ReportIndex.json([], apps: apps, settings: ReportSettings())
        #expect(
            String(decoding: json, as: UTF8.self) == """
                {"reports":[],"apps":[{"app":"Z","name":"Neu & <b>\\"neu\\"</b>",\
                "time_zone":"Asia/Kolkata","session_timeout_s":45},{"app":"shop","name":"shop",\
                "time_zone":"UTC","session_timeout_s":1.500}],"min_group":1}
                """)
    }
}
