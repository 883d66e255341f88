import Testing

@testable import Truth

@Suite("what active, retention, lifetime, versions and platforms must say")
struct DeviceTests {
    /// A device with an event on each of these days, counted from 2026-03-28.
    private func device(
        _ days: [Int64], os: String = "iOS", versions: [String?] = ["1"], isShared: Bool = false
    ) -> ToldDevice {
        ToldDevice(
            days.map { event("p", $0 * dayLength) }, os: [os], versions: versions,
            isShared: isShared)
    }

    @Test("windows of 7 and 30 days look back out of the range")
    func active() throws {
        let devices = [
            device([-29, 0]), device([-7, 1]), device([-6]), device([0], isShared: true),
        ]
        let scope = try scope("2026-03-28", "2026-03-29", zone: "UTC")
        #expect(
            rows(.active(.day), of: devices, in: scope)
                == ["2026-03-28 1 2 3 0 0.333333", "2026-03-29 1 2 3 0 0.333333"])
        #expect(rows(.active(.all), of: devices, in: scope) == ["2026-03-28 2 0"])
        #expect(rows(.active(.week), of: devices, in: scope) == ["2026-03-23 2 0"])
    }

    @Test("new are those of a day's that were first seen in it, of any resource")
    func new() throws {
        let scope = try scope("2026-03-28", "2026-03-29", zone: "UTC")
        // First seen as Android, at the same moment as on iOS.
        let tied = ToldDevice(
            [event("p", 0, batch: 1), event("p", 0), event("p", dayLength)], batches: ["b", "a"],
            os: ["iOS", "Android"])
        let filter = Filter.only(.osName, "iOS")
        #expect(
            rows(.active(.day, where: filter), of: [tied], in: scope)
                == ["2026-03-28 1 1 1 1 1.000000", "2026-03-29 1 1 1 0 1.000000"])
        #expect(
            rows(.retention(.day, where: filter), of: [tied], in: scope)[0].hasPrefix(
                "2026-03-28 0 0"))
        #expect(rows(.retention(.day), of: [tied], in: scope)[0].hasPrefix("2026-03-28 1 1 1 0"))
    }

    @Test("a day that comes again when clocks are set back over midnight is one")
    func dayThatComesAgain() throws {
        // One minute past midnight of 2010-11-07 clocks showed 23:01 of the 6th in St. John's.
        let change: Int64 = 1_289_097_060_000
        let device = ToldDevice(
            [-30_000, 30 * minute, 2 * hour].map { event("p", change + $0 - noon) })
        let scope = try scope("2010-11-06", "2010-11-07", zone: "America/St_Johns")
        #expect(
            rows(.active(.day), of: [device], in: scope)
                == ["2010-11-06 1 1 1 0 1.000000", "2010-11-07 1 1 1 1 1.000000"])
        #expect(
            rows(.events(by: .day), of: [device], in: scope) == [
                "2010-11-06 p 1 1", "2010-11-07 p 2 1",
            ])
    }

    @Test("the monthly average is of whole months")
    func average() throws {
        let devices = [device([0]), device([0, 5]), device([40])]
        func average(_ from: String, _ to: String) throws -> String? {
            try answer(.active(.month), of: devices, in: scope(from, to, zone: "UTC"))
                .members.first?.figure.short
        }
        #expect(try average("2026-03-01", "2026-05-31") == "1.333")
        #expect(try average("2026-03-02", "2026-05-30") == "1.000")
        #expect(try average("2026-03-02", "2026-03-30") == "~")
    }

    @Test("retention counts cohorts by bucket, and periods also after the range")
    func retention() throws {
        let devices = [device([0, 1, 14, 15]), device([1, 2, 3]), device([-1, 0])]
        let scope = try scope("2026-03-28", "2026-03-29", zone: "UTC")
        #expect(
            rows(.retention(.day), of: devices, in: scope) == [
                "2026-03-28 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 1",
                "2026-03-29 1 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0",
            ])
        // The 30th is a Monday, and of the same month.
        #expect(
            rows(.retention(.week), of: devices, in: scope) == ["2026-03-23 2 2 1 1 0 0 0 0 0 0"])
        #expect(rows(.retention(.month), of: devices, in: scope) == ["2026-03-01 2 2 1 0 0 0 0 0"])
    }

    @Test("with a filter the first event decides, and any event is activity")
    func filteredRetention() throws {
        let scope = try scope("2026-03-28", "2026-03-28", zone: "UTC")
        let moved = ToldDevice(
            [event("p", 0), event("p", dayLength, batch: 1)], batches: ["a", "b"],
            os: ["iOS", "Android"])
        func first(_ system: String) -> Substring {
            rows(.retention(.day, where: .only(.osName, system)), of: [moved], in: scope)[0].prefix(
                18)
        }
        #expect(first("iOS") == "2026-03-28 1 1 1 0" && first("Android") == "2026-03-28 0 0 0 0")
        let lives = TruthQuestion.lifetime(where: .only(.osName, "iOS"))
        let given = try answer(
            lives, of: [moved], in: TruthTests.scope("2026-03-28", "2026-03-30", zone: "UTC"))
        #expect(given.rows.count == 2)
    }

    @Test(
        "lifetime is Kaplan–Meier's product: lives of 1, 1, 2 and 3 days, one of the 1s and the 3 censored"
    )
    func lifetime() throws {
        let devices = [
            device([0]), device([4]), device([0, 1]), device([2, 3, 4]), device([-1, 0]),
        ]
        let scope = try scope("2026-03-28", "2026-04-01", zone: "UTC")
        let given = answer(.lifetime(inactive: 3), of: devices, in: scope)
        #expect(
            given.rows.map { $0.map(\.short).joined(separator: " ") }
                == ["1 4 1 0.750000", "2 2 1 0.375000", "3 1 0 0.375000"])
        #expect(given.members.map(\.figure.short) == ["4", "2", "2", "2"])
        // The last of the days that are watched ends a life.
        let later = answer(.lifetime(inactive: 3), of: [device([0, 9])], in: scope)
        #expect(later.members.map(\.figure.short) == ["1", "1", "0", "1"])
        #expect(
            answer(.lifetime(), of: [], in: scope).members.map(\.figure.short) == [
                "0", "0", "0", "~",
            ])
    }

    @Test("a product of many fractions is rounded once")
    func product() {
        var half = ExactProduct()
        for number in 3...400 { half.multiply(by: number - 1, over: number) }
        half.multiply(by: 100, over: 1)
        #expect(half.isAtMostHalf && half.millionths == 500_000)
        half.multiply(by: 1, over: 500_000)
        #expect(half.millionths == 1)
        half.multiply(by: 499_999, over: 500_000)
        #expect(half.millionths == 1)
        half.multiply(by: 1, over: 2)
        #expect(half.millionths == 0)
        half.multiply(by: 0, over: 2)
        #expect(half.isAtMostHalf && half.millionths == 0)
        var most = ExactProduct()
        most.multiply(by: 1_000_001, over: 2_000_000)
        #expect(!most.isAtMostHalf && most.millionths == 500_001)
    }

    @Test("a device stands under the value of its latest event, the greatest by bytes of several")
    func versions() throws {
        let moved = ToldDevice(
            [event("p", 0, "s"), event("p", hour, batch: 1), event("p", hour, batch: 2)],
            batches: ["a", "b", "c"], versions: ["9", "1.2", "1.10"])
        let reverse = ToldDevice(
            [event("p", hour), event("p", hour, batch: 1)], batches: ["a", "b"],
            versions: ["1.10", "1.2"])
        let devices = [
            moved, device([-1, 0], versions: [nil]), device([0], isShared: true), reverse,
        ]
        let scope = try scope()
        #expect(
            rows(.versions(.serviceVersion), of: devices, in: scope) == [
                "1.2 2 0.666667 0 2", "unknown 1 0.333333 0 0", "9 0 0.000000 1 0",
            ])
        #expect(
            rows(.versions(.serviceVersion, by: .week), of: devices, in: scope).first
                == "2026-03-23 1.2 2 0.666667 0 2")
    }

    @Test("the most common version is that of most events, the first by bytes of several")
    func mostCommon() throws {
        let question = TruthQuestion.content(where: .mostCommon(.serviceVersion))
        func version(_ devices: [ToldDevice]) throws -> [Parameter] {
            try answer(question, of: devices, in: scope(zone: "UTC")).parameters
        }
        let two = [device([0], versions: ["b"]), device([0], versions: ["a"])]
        #expect(try version(two) == [Parameter("service.version", "a")])
        let three = two + [device([0], versions: ["b"]), device([1, 2, 3], versions: ["c"])]
        #expect(try version(three) == [Parameter("service.version", "b")])
        let views = [("1", "x"), ("2", "y"), ("2", "x")].map { version, content in
            ToldDevice(
                [event("content.view", 0, nil, [("content.id", .string(content))])],
                versions: [version])
        }
        #expect(
            try rows(question, of: views, in: scope())
                == ["x 1 1 0 0 0.000000 0", "y 1 1 0 0 0.000000 0"])
        let updated = ToldDevice(
            ["x", "x", "y"].enumerated().map { number, content in
                event("content.view", 0, nil, batch: number, [("content.id", .string(content))])
            }, batches: ["a", "b", "c"], versions: ["1", "2", "2"])
        #expect(
            try rows(question, of: [updated], in: scope())
                == ["x 1 1 0 0 0.000000 0", "y 1 1 0 0 0.000000 0"])
    }
}
