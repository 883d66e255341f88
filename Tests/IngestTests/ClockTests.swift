import Events
import Ingest
import Testing

@Suite("Clock correction")
struct ClockTests {
    private static let day: Int64 = 86_400_000

    /// Judges events at these times in a batch sent at `sentAt`, with `sent_at` before or behind
    /// them.
    private func judged(_ times: [Int64], sentAt: Int64?, behind: Bool) throws -> JudgedBatch {
        var batch = BatchText(
            events: times.map { event(#""t\#($0.magnitude)""#, time: "\($0)", "{\"k\($0)\":1}") })
        batch["sent_at"] = nil
        if let sentAt {
            if behind {
                batch["sent_at"] = "\(sentAt)"
            } else {
                batch.members.insert(("sent_at", "\(sentAt)"), at: 0)
            }
        }
        return try judge(batch)
    }

    @Test(
        "up to 60 s of skew times stand as sent",
        arguments: [-60_000, -1, 0, 1, 60_000] as [Int64], [false, true])
    func small(_ skew: Int64, _ behind: Bool) throws {
        let batch = try judged([arrival - 1000], sentAt: arrival - skew, behind: behind)
        #expect(batch.clockShift == 0)
        #expect(batch.events[0].time == arrival - 1000)
    }

    @Test(
        "beyond that every event moves by the skew",
        arguments: [-60_001, 60_001, 3_600_000, -3_600_000] as [Int64], [false, true])
    func large(_ skew: Int64, _ behind: Bool) throws {
        let batch = try judged(
            [arrival - 1000, arrival - 2000], sentAt: arrival - skew, behind: behind)
        #expect(batch.clockShift == skew)
        #expect(batch.events.map(\.time) == [arrival - 1000 + skew, arrival - 2000 + skew])
    }

    @Test("without sent_at times stand as sent")
    func absent() throws {
        let batch = try judged([arrival - 1000], sentAt: nil, behind: false)
        #expect(batch.clockShift == 0)
        #expect(batch.events[0].time == arrival - 1000)
    }

    @Test("the range holds for corrected times", arguments: [false, true])
    func range(_ behind: Bool) throws {
        // A device whose clock stands in 1970: all would be too old as sent.
        let epoch = try judged([0, 500, 1000], sentAt: 1000, behind: behind)
        #expect(epoch.events.map(\.time) == [arrival - 1000, arrival - 500, arrival])
        #expect(epoch.keys == #"["k0","k500","k1000"]"#)
        // One a year ahead: what would be in range as sent is too old then.
        let year = 365 * Self.day
        let ahead = try judged(
            [
                arrival - 36 * Self.day, arrival + year, arrival + year + Self.day,
                arrival + year + Self.day + 1,
            ],
            sentAt: arrival + year, behind: behind)
        #expect(ahead.events.map(\.index) == [1, 2])
        #expect(ahead.events.map(\.time) == [arrival, arrival + Self.day])
        #expect(ahead.rejections.map(\.rule) == [.timeRange, .timeRange])
        #expect(ahead.names.count == 2)
        #expect((0..<2).map(ahead.blob) == ["0,1", "1,1"])
    }

    @Test(
        "a broken rule behind the range gives way to it once the shift is known",
        arguments: [false, true])
    func ruleOrder(_ behind: Bool) throws {
        var batch = BatchText(events: [event(#""screen.view""#, time: "\(arrival)")])
        batch["sent_at"] = nil
        let sentAt = ("sent_at", "\(arrival + 500 * Self.day)")
        batch.members.insert(sentAt, at: behind ? batch.members.count : 0)
        #expect(try judge(batch).rejections.map(\.rule) == [.timeRange])
        batch["sent_at"] = "\(arrival)"
        #expect(try judge(batch).rejections.map(\.rule) == [.missing])
    }

    @Test("the ends of all that may be sent do not overflow")
    func extremes() throws {
        let safe: Int64 = 9_007_199_254_740_991
        for sentAt in [0, safe] {
            for behind in [false, true] {
                let batch = try judged([-safe, safe, 0], sentAt: sentAt, behind: behind)
                #expect(batch.clockShift == arrival - sentAt)
                #expect(batch.events.count + batch.rejected == 3)
            }
        }
        // Sent at its own end, the event comes out at arrival.
        let batch = try judged([safe], sentAt: safe, behind: true)
        #expect(batch.events.map(\.time) == [arrival])
    }
}
