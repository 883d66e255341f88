import Testing
import TimeZones

@Suite("Time zones")
struct TimeZoneTests {
    /// A TZif file of these parts (RFC 9636 §3): a first block for version 1 without transitions.
    static func file(
        version: UInt8 = 0x32, times: [Int64] = [], types: [UInt8] = [], offsets: [Int32] = [0],
        footer: String? = ""
    ) -> [UInt8] {
        func big(_ value: Int64, _ width: Int) -> [UInt8] {
            (0..<width).map { UInt8(truncatingIfNeeded: value >> Int64(8 * (width - 1 - $0))) }
        }
        func block(_ width: Int, _ times: [Int64], _ types: [UInt8]) -> [UInt8] {
            var out = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
            for count in [0, 0, 0, times.count, offsets.count, 4] { out += big(Int64(count), 4) }
            for time in times { out += big(time, width) }
            out += types
            for offset in offsets { out += big(Int64(offset), 4) + [0, 0] }
            return out + Array("ABC\0".utf8)
        }
        if version == 0 { return block(4, times, types) }
        return block(4, [], []) + block(8, times, types)
            + (footer.map { Array("\n\($0)\n".utf8) } ?? [])
    }

    @Test("the footer of RFC 9636 B.3 goes on for ever, with an hour beyond 24")
    func jerusalem() throws {
        let zone = try TimeZoneRules(
            name: "x",
            contents: Self.file(
                version: 0x33, times: [2_145_916_800], types: [0], offsets: [7200],
                footer: "IST-2IDT,M3.4.4/26,M10.5.0"))
        // 2045: the fourth Thursday of March is the 23rd, so Friday 02:00 is 2045-03-24T00:00Z;
        // the last Sunday of October is the 29th, 02:00 in summer is 23:00Z of the 28th.
        let spring: Int64 = 2_373_926_400_000
        let autumn: Int64 = 2_392_844_400_000
        #expect(zone.offset(at: spring - 1) == 2 * hour)
        #expect(zone.offset(at: spring) == 3 * hour)
        #expect(zone.offset(at: autumn - 1) == 3 * hour)
        #expect(zone.offset(at: autumn) == 2 * hour)
    }

    @Test("an instant's day is that of the clocks there, also before 1970")
    func days() throws {
        let day: Int64 = 86_400_000
        let east = try TimeZoneRules(
            name: "x", contents: Self.file(version: 0x33, footer: "XXX-5:45"))
        let ahead = 5 * hour + 45 * 60_000
        for (time, number) in [
            (0, 0), (day - ahead - 1, 0), (day - ahead, 1), (-ahead, 0), (-ahead - 1, -1),
            (-day - ahead, -1), (-day - ahead - 1, -2),
        ] as [(Int64, Int)] {
            #expect(east.day(at: time).number == number, "\(time)")
        }
    }

    @Test("rules of the southern half, and one that is summer all the year")
    func rules() throws {
        func zone(_ footer: String) throws -> TimeZoneRules {
            try TimeZoneRules(name: "x", contents: Self.file(version: 0x33, footer: footer))
        }
        let sydney = try zone("AEST-10AEDT,M10.1.0,M4.1.0/3")
        #expect(sydney.offset(at: 1_767_225_600_000) == 11 * hour)  // 2026-01-01
        #expect(sydney.offset(at: 1_782_864_000_000) == 10 * hour)  // 2026-07-01
        let always = try zone("XXX3EDT4,0/0,J365/23")
        let year: [TimeSegment] = always.segments(from: 1_767_225_600_000, to: 1_830_297_600_000)
        #expect(year.map(\.offset) == [-4 * hour])
        #expect(try zone("<+0545>-5:45").offset(at: 0) == 5 * hour + 45 * 60_000)
        #expect(try zone("").offset(at: 0) == 0)
    }

    @Test("29 February counts where the rule numbers days from 0, and not where it has a J")
    func leapDays() throws {
        func summer(_ footer: String, _ year: Int, _ month: Int, _ day: Int) throws -> Bool {
            let zone = try TimeZoneRules(name: "x", contents: Self.file(footer: footer))
            let date = try #require(CivilDate(year: year, month: month, day: day))
            return zone.offset(at: Int64(date.number) * 24 * hour + 12 * hour) == hour
        }
        for year in [2027, 2028] {
            #expect(try !summer("AAA0BBB,J60/0,J300/0", year, 2, 28))
            #expect(try summer("AAA0BBB,J60/0,J300/0", year, 3, 1))
        }
        #expect(try !summer("AAA0BBB,J60/0,J300/0", 2028, 2, 29))
        #expect(try summer("AAA0BBB,59/0,300/0", 2028, 2, 29))
        #expect(try !summer("AAA0BBB,60/0,300/0", 2028, 2, 29))
        #expect(try summer("AAA0BBB,59/0,300/0", 2027, 3, 1))
    }

    @Test(
        "a footer that is none is damage",
        arguments: [
            "X", "EST", "EST5EDT", "EST5EDT,", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0",
            "EST5EDT,M3.6.0,M11.1.0", "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,J0,J365", "EST25",
            "EST5EDT,J1/168,J365", "EST5EDT,M3.2.0,M11.1.0 ", "<AB5", "EST5:60",
        ])
    func footers(text: String) {
        #expect(throws: TimeZoneError.damaged) {
            try TimeZoneRules(name: "x", contents: Self.file(version: 0x33, footer: text))
        }
    }

    @Test("version 1 has 32-bit times, and the last one holds for ever")
    func versionOne() throws {
        let zone = try TimeZoneRules(
            name: "x",
            contents: Self.file(
                version: 0, times: [-1000, 1000], types: [1, 0], offsets: [60, 120]))
        #expect(zone.offset(at: -1_000_001) == 60_000)
        #expect(zone.offset(at: -1_000_000) == 120_000)
        #expect(zone.offset(at: 999_999) == 120_000)
        #expect(zone.offset(at: 1_000_000) == 60_000)
        #expect(zone.offset(at: 4_000_000_000_000) == 60_000)
        #expect(
            zone.segments(from: -2_000_000, to: 2_000_000).map(\.start)
                == [-2_000_000, -1_000_000, 1_000_000])
    }

    @Test("a file cut anywhere is damage")
    func cut() throws {
        let whole = Self.file(times: [5, 6], types: [0, 1], offsets: [0, 3600], footer: "UTC0")
        _ = try TimeZoneRules(name: "x", contents: whole)
        for count in 0..<whole.count {
            #expect(throws: TimeZoneError.damaged) {
                try TimeZoneRules(name: "x", contents: Array(whole[..<count]))
            }
        }
    }

    @Test("times that go back, types and offsets that cannot be, are damage")
    func damaged() {
        for file in [
            Self.file(times: [6, 5], types: [0, 0]), Self.file(times: [5, 5], types: [0, 0]),
            Self.file(times: [5], types: [1]), Self.file(offsets: [93_600]),
            Self.file(offsets: [-90_000]), Self.file(offsets: []),
        ] {
            #expect(throws: TimeZoneError.damaged) { try TimeZoneRules(name: "x", contents: file) }
        }
    }

    @Test(
        "a name outside the rule opens nothing",
        arguments: [
            "", "..", "../etc/passwd", "Europe/../UTC", "/etc/passwd", "Europe/", "Europe//Paris",
            "Europe/Paris\0", "Europe/Paris ", "Europe\\Paris", "zone.tab", "tzdata.zi", "Pariß",
        ])
    func names(name: String) {
        #expect(throws: TimeZoneError.invalidName) { try TimeZoneRules(name: name) }
    }

    @Test(
        "a name without a TZif file is no zone",
        arguments: ["Mars/Phobos", "Europe", "leapseconds", "SECURITY", "europe/PARIS"])
    func unknown(name: String) {
        #expect(throws: TimeZoneError.self) { try TimeZoneRules(name: name) }
    }

    @Test("a day of 23 hours and one of 25, to the millisecond")
    func paris() throws {
        let zone = try TimeZoneRules(name: "Europe/Paris")
        let short = try #require(CivilDate(year: 2026, month: 3, day: 29))
        let long = try #require(CivilDate(year: 2026, month: 10, day: 25))
        func length(_ date: CivilDate) -> Int64 {
            let window = zone.window(from: date, to: date)
            return window.upperBound - window.lowerBound
        }
        #expect(length(short) == 23 * hour)
        #expect(length(long) == 25 * hour)
        let start = zone.window(from: short, to: short).lowerBound
        #expect(start == noon + 11 * hour)
        var days = LocalDays(zone, from: short, to: short)
        #expect(days.day(at: start - 1) == short.number - 1)
        #expect(days.day(at: start) == short.number)
        #expect(days.day(at: start + 23 * hour - 1) == short.number)
        #expect(days.day(at: start + 23 * hour) == short.number + 1)
    }

    @Test(
        "zones off by half hours and quarters",
        arguments: [
            ("Asia/Kathmandu", 345), ("Asia/Kolkata", 330), ("Pacific/Kiritimati", 840),
            ("Pacific/Pago_Pago", -660), ("UTC", 0), ("America/St_Johns", -210),
            ("Australia/Lord_Howe", 660), ("Pacific/Chatham", 825), ("Etc/GMT+12", -720),
        ])
    func offsets(name: String, minutes: Int64) throws {
        // In January.
        #expect(try TimeZoneRules(name: name).offset(at: 1_768_000_000_000) == minutes * 60_000)
    }

    @Test("half an hour of summer in Lord Howe")
    func lordHowe() throws {
        let zone = try TimeZoneRules(name: "Australia/Lord_Howe")
        let end: Int64 = 1_775_314_800_000  // 2026-04-04T15:00Z, the first Sunday of April, 02:00
        #expect(zone.offset(at: end - 1) == 11 * hour)
        #expect(zone.offset(at: end) == 10 * hour + hour / 2)
    }

    @Test("days before 1970 begin at midnight too")
    func early() throws {
        let utc = try TimeZoneRules(name: "UTC")
        var days = LocalDays(utc, from: CivilDate(number: -2), to: CivilDate(number: 1))
        let times: [Int64] = [-86_400_001, -86_400_000, -1, 0, 86_399_999, 86_400_000]
        #expect(times.map { days.day(at: $0) } == [-2, -1, -1, 0, 0, 1])
    }

    @Test("a day that was left out, and one that is two stretches")
    func oddDays() throws {
        // Samoa had no 2011-12-30.
        let apia = try TimeZoneRules(name: "Pacific/Apia")
        let missing = try #require(CivilDate(year: 2011, month: 12, day: 30))
        #expect(apia.intervals(from: missing, to: missing).isEmpty)
        // St John's went back at 00:01 until 2011: a minute of Sunday, the rest of an hour of Saturday, Sunday.
        let john = try TimeZoneRules(name: "America/St_Johns")
        let sunday = try #require(CivilDate(year: 2010, month: 11, day: 7))
        let parts = john.intervals(from: sunday, to: sunday)
        #expect(parts.map { $0.upperBound - $0.lowerBound } == [60_000, 24 * hour])
        #expect(parts[1].lowerBound - parts[0].upperBound == hour - 60_000)
        var days = LocalDays(john, from: sunday, to: sunday)
        #expect(days.day(at: parts[0].lowerBound) == sunday.number)
        #expect(days.day(at: parts[0].upperBound) == sunday.number - 1)
        #expect(days.day(at: parts[1].lowerBound) == sunday.number)
        #expect(days.days(from: parts[0].lowerBound, to: parts[1].lowerBound) == nil)
    }
}

/// 2026-03-28T12:00:00Z, a Saturday.
private let noon: Int64 = 1_774_699_200_000
private let hour: Int64 = 3_600_000
