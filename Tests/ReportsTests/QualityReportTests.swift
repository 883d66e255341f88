import Query
import Reports
import StoreTestSupport
import Testing

@Suite("quality")
struct QualityReportTests {
    private let two = range("2026-03-27", "2026-03-28")

    private func batch(
        _ device: String, _ id: String, at arrival: Int64, late: [Int64] = [],
        _ change: (inout SentBatch) -> Void = { _ in }
    ) -> SentBatch {
        var batch = SentBatch(
            device: device, id: id, receivedAt: arrival,
            events: late.map { SentEvent("p", arrival - $0) })
        change(&batch)
        return batch
    }

    @Test("everything goes by arrival: sums, how late events were, profiles and keys")
    func sums() throws {
        let store = try TestStore([
            batch("a", "1", at: noon, late: [1000, 40 * day, -500]) {
                ($0.bytes, $0.dropped, $0.key) = (100, 3, "k-b")
                $0.rejected = ["invalid-name", "invalid-time"]
            },
            batch("b", "1", at: noon + hour, late: [2000]) {
                ($0.bytes, $0.profile, $0.key) = (50, 2, "k-a")
                ($0.clockShift, $0.resource) = (-61_000, ["os.name": "iOS"])
                $0.repeats = [(noon + hour, 40), (noon + 2 * hour, 30), (noon + day, 20)]
            },
            batch("s", "1", at: noon - day) { ($0.isShared, $0.profile) = (true, 3) },
            batch("a", "2", at: noon + day, late: [5]),
        ])
        let report = try store.ask("quality", two)
        #expect(
            report.lines == [
                "2026-03-27,1,0,0,0,0,0,,,0,0",
                "2026-03-28,2,2,4,2,220,1,1.000,3456000.000,0,3",
            ])
        #expect(
            report.json.contains(
                "\"time_zone\":\"UTC\",\"by_profile\":{\"aes128gcm\":1,\"jwe\":1,\"plain\":1},"
                    + "\"by_key\":{\"k-a\":1,\"k-b\":1},"
                    + "\"by_client\":{\"unknown/unknown\":{\"batches\":3,\"rejected\":2,"
                    + "\"dropped_events\":3}},\"rows\":["))
        #expect(
            try store.ask("quality", two + [("os.name", "iOS")]).lines
                == [
                    "2026-03-27,0,0,0,0,0,0,,,0,0", "2026-03-28,1,2,1,0,120,1,2.000,2.000,0,0",
                ])
        #expect(
            try store.ask("quality", range("2026-03-29", "2026-03-29")).lines
                == ["2026-03-29,1,1,1,0,20,0,0.005,0.005,0,0"])
        #expect(
            try store.ask("quality", two + [("interval", "month"), ("tz", "Asia/Tokyo")]).lines
                == ["2026-03-01,3,2,4,2,220,1,1.000,3456000.000,0,3"])
    }

    @Test("an event from the future is late by less than nothing")
    func future() throws {
        let store = try TestStore([batch("a", "1", at: noon, late: [-1500, -500])])
        #expect(
            try store.ask("quality", range("2026-03-28", "2026-03-28")).lines
                == ["2026-03-28,1,0,2,0,0,0,-1.500,-0.500,0,0"])
    }

    /// What each day misses, by the numbers of batches in the order of their arrival.
    private func missing(
        _ sent: [(device: String, sequence: Int64?, at: Int64)],
        _ pairs: [(name: String, value: String)] = []
    ) throws -> [Cell] {
        let store = try TestStore(
            sent.enumerated().map { place, sent in
                batch(sent.device, "\(place)", at: sent.at) {
                    ($0.sequence, $0.isShared) = (sent.sequence, sent.device == "shared")
                    $0.resource = ["os.name": place % 2 == 0 ? "iOS" : "Android"]
                }
            })
        return try store.ask("quality", two + pairs).rows.map { $0.cells[9] }
    }

    @Test("holes count where their later neighbour arrived, whatever came between")
    func holes() throws {
        #expect(try missing([("a", 1, noon - day), ("a", 4, noon)]) == [.int(0), .int(2)])
        #expect(try missing([("a", 4, noon - day), ("a", 1, noon)]) == [.int(2), .int(0)])
        #expect(
            try missing([("a", 1, noon - day), ("a", 4, noon), ("a", 3, noon)])
                == [.int(0), .int(1)])
        // The earlier neighbour may have come before the range, the later one behind it.
        #expect(try missing([("a", 1, noon - 90 * day), ("a", 3, noon)]) == [.int(0), .int(1)])
        #expect(try missing([("a", 1, noon), ("a", 3, noon + day)]) == [.int(0), .int(0)])
        // A number that came twice counts when it first came.
        #expect(
            try missing([("a", 1, noon - day), ("a", 3, noon), ("a", 3, noon - day)])
                == [.int(1), .int(0)])
    }

    @Test("holes are of one device that is not shared, and filters do not make any")
    func holesOfWhom() throws {
        #expect(
            try missing([
                ("a", 1, noon), ("b", 9, noon), ("shared", 1, noon), ("shared", 9, noon),
                ("a", nil, noon), ("c", 0, noon), ("a", 2, noon),
            ]) == [.int(0), .int(0)])
        #expect(
            try missing(
                [("a", 1, noon), ("a", 2, noon), ("a", 4, noon)], [("os.name", "Android")])
                == [.int(0), .int(1)])
    }

    @Test("a jump of more than 10,000 is a new count")
    func jumps() throws {
        let greatest: Int64 = 9_007_199_254_740_991
        #expect(try missing([("a", 5, noon), ("a", 10_005, noon)])[1] == .int(9_999))
        #expect(try missing([("a", 5, noon), ("a", 10_006, noon)])[1] == .int(0))
        #expect(
            try missing([("a", 0, noon), ("a", greatest, noon), ("a", greatest - 2, noon)])[1]
                == .int(1))
    }

    @Test("sums stop at 2^53−1; small groups are not hidden; members show in a table")
    func forms() throws {
        let greatest: Int64 = 9_007_199_254_740_991
        let store = try TestStore([
            batch("a", "1", at: noon) { ($0.dropped, $0.key) = (greatest, "k-a") },
            batch("a", "2", at: noon) { ($0.dropped, $0.key) = (greatest, "k-b") },
        ])
        let report = try store.ask("quality", range("2026-03-28", "2026-03-28"), minGroup: 5)
        #expect(report.rows[0].cells[10] == .int(greatest))
        #expect(report.members.map(\.name) == ["by_profile", "by_key", "by_client"])
        let table = String(decoding: report.rendered(as: .table), as: UTF8.self)
        #expect(
            table.contains(
                """

                by_profile  aes128gcm 2
                by_key  k-a 1  k-b 1
                by_client          batches  rejected         dropped_events
                  unknown/unknown        2         0  9,007,199,254,740,991

                """))
        let nothing = try TestStore().ask("quality", two)
        #expect(nothing.json.contains("\"by_profile\":{},\"by_key\":{},\"by_client\":{},"))
        let empty = String(decoding: nothing.rendered(as: .table), as: UTF8.self)
        #expect(empty.contains("\nby_profile  -\nby_key  -\nby_client  -\n"))
    }

    private func client(_ name: String, _ version: String, at time: Int64 = noon) -> SentBatch {
        batch("d", "\(name) \(version) \(time)", at: time) {
            $0.resource = ["telemetry.sdk.name": name, "telemetry.sdk.version": version]
        }
    }

    /// The member of an answer, as JSON.
    private func clients(
        _ batches: [SentBatch], _ pairs: [(name: String, value: String)] = []
    ) throws -> String {
        let json = try TestStore(batches).ask("quality", two + pairs).json
        let parts = json.components(separatedBy: "\"by_client\":")
        return parts[1].components(separatedBy: ",\"rows\":")[0]
    }

    @Test("clients are named by what batches say of them, and count what lies in the rows")
    func byClient() throws {
        let batches = [
            client("web", "2"), client("web", "10"), client("web", ""), client("", "2"),
            client("unknown", "2"), client("a/b", "1"), client("a", "b/1"),
            client("é", "1"), client("e\u{301}", "1"), client("web", "2", at: noon + day),
            batch("x", "1", at: noon - hour) {
                $0.resource = ["os.name": "iOS", "telemetry.sdk.name": "web"]
                ($0.rejected, $0.dropped) = (["bad-name", "too-old", "too-old"], 7)
                $0.repeats = [(noon, 40)]
            },
        ]
        func one(_ name: String, _ batches: Int, _ rejected: Int = 0, _ dropped: Int = 0) -> String
        {
            #""\#(name)":{"batches":\#(batches),"rejected":\#(rejected),"dropped_events":\#(dropped)}"#
        }
        let wanted = [
            one("a/b/1", 2), one("e\u{301}/1", 1), one("unknown/2", 2), one("web/10", 1),
            one("web/2", 1), one("web/unknown", 2, 3, 7), one("é/1", 1),
        ]
        // By bytes: what Unicode calls equal are two.
        #expect(
            try Array(clients(batches).utf8) == Array("{\(wanted.joined(separator: ","))}".utf8))
        #expect(
            try clients(batches, [("os.name", "iOS")]) == "{\(one("web/unknown", 1, 3, 7))}")
        #expect(try clients([]) == "{}")
    }

    @Test("a hundred clients have names, all others are one entry, the last")
    func otherClients() throws {
        // `zz` has two batches; of those that tie the first by bytes have names.
        var batches = (0..<99).map { client("c", String(1000 + $0)) }
        batches += [client("zz", "1"), client("zz", "1", at: noon + 1)]
        let hundred = try clients(batches.shuffled())
        #expect(!hundred.contains("\"other\"") && hundred.contains("\"c/1098\""))
        batches += ["1099", "0999", "1100"].map { version in
            var one = client("c", version)
            (one.rejected, one.dropped) = (["bad-name"], 9_007_199_254_740_991)
            return one
        }
        let more = try clients(batches.shuffled())
        let names = more.components(separatedBy: "\":{\"").dropLast()
            .map { String($0.split(separator: "\"", omittingEmptySubsequences: false).last ?? "") }
        #expect(
            names == (999...1097).map { "c/\(String($0 + 10_000).suffix(4))" } + ["zz/1", "other"])
        #expect(more.contains(#""zz/1":{"batches":2,"rejected":0,"#))
        #expect(
            more.hasSuffix(
                #","other":{"batches":3,"rejected":2,"dropped_events":9007199254740991}}"#))
    }
}
