import Testing

@testable import Truth

@Suite("what quality and rejects must say")
struct QualityTests {
    private func device(_ sequences: [Int64], isShared: Bool = false) -> ToldDevice {
        ToldDevice(
            isShared: isShared,
            batches: sequences.enumerated().map { number, sequence in
                ToldBatch(
                    id: "b\(number)",
                    resource: ToldResource(sdkName: number == 0 ? "swift" : nil, sdkVersion: "1"),
                    sequence: sequence, dropped: 2, rejected: number == 0 ? 3 : 0, accepted: 1,
                    repeats: number == 1 ? 2 : 0, isCorrected: number == 0,
                    posted: noon + Int64(number) * 31 * dayLength)
            },
            events: sequences.indices.map {
                ToldEvent(name: "p", time: noon - 9500, batch: $0, index: 0)
            })
    }

    @Test("all that arrived is summed up, from the day of the first to that of the last")
    func sums() throws {
        let given = try answer(
            .quality(), of: [device([7, 4, 10_007, 20_008]), device([1, 9], isShared: true)],
            in: scope())
        #expect(
            given.parameters == [
                Parameter("from", "2026-03-28"), Parameter("to", "2026-06-29"),
                Parameter("interval", "month"),
            ])
        // 5 and 6, then 9,999 up to 10,006; a jump of 10,001 is none.
        #expect(
            given.rows.map { $0.map(\.short).joined(separator: " ") }
                == [
                    "6 4 6 6 2 \(31 * 86_400 + 5)..\(31 * 86_400 + 13) "
                        + "\(93 * 86_400 + 5)..\(93 * 86_400 + 13) 10001 12"
                ])
        #expect(
            given.members.map { $0.name + "=" + $0.figure.short } == [
                "by_profile=aes128gcm:6", "by_key=k1:6",
                "by_client=swift/1:batches:2,rejected:6,dropped_events:4,"
                    + "unknown/1:batches:4,rejected:0,dropped_events:8",
            ])
        #expect(given.isSum)
    }

    @Test("lateness is counted by two seconds, also what lies ahead of time")
    func lateness() {
        var late = LateHistogram()
        for milliseconds in [-1, -2000, -2001, 0, 3999, 20_000_000] as [Int64] {
            late.insert(milliseconds)
        }
        let percents = [1, 17, 34, 51, 68, 84]
        #expect(
            percents.map { late.percentile($0) } == [
                -4...(-2), -2...0, -2...0, 0...2, 2...4, 20_000...20_002,
            ])
        #expect(LateHistogram().percentile(50) == nil)
    }

    @Test("a batch may come an hour after it was posted first")
    func late() throws {
        var device = device([1])
        device.batches[0].posted = noon + 12 * hour - 1
        let given = try answer(.rejects(), of: [device], in: scope())
        #expect(
            given.parameters.prefix(2) == [
                Parameter("from", "2026-03-28"), Parameter("to", "2026-03-29"),
            ])
    }

    @Test("rejected events are summed up by code")
    func rejects() throws {
        #expect(
            try rows(.rejects(), of: [device([1]), device([1, 2])], in: scope())
                == ["time-out-of-range 0 6"])
        #expect(try rows(.rejects(), of: [], in: scope()) == [])
    }

    @Test("a hundred clients have a member of their own, the rest has one together")
    func clients() throws {
        let devices = (0..<103).map { number in
            ToldDevice(
                isShared: false,
                batches: (0..<(number < 3 ? 1 : 2)).map {
                    ToldBatch(
                        id: "\($0)", resource: ToldResource(sdkName: "c", sdkVersion: "\(number)"),
                        sequence: Int64($0), accepted: 0, posted: noon)
                }, events: [])
        }
        let given = try answer(.quality(), of: devices, in: scope())
        guard case .object(let clients)? = given.members.last?.figure else {
            Issue.record("no clients")
            return
        }
        #expect(clients.count == 101 && clients[0].name == "c/10" && clients[1].name == "c/100")
        #expect(
            clients.last
                == .init(
                    name: "other",
                    figure: .object([
                        .init(name: "batches", figure: .count(3)),
                        .init(name: "rejected", figure: .count(0)),
                        .init(name: "dropped_events", figure: .count(0)),
                    ])))
    }
}
