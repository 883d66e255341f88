import Testing

@testable import Core

/// Files whose checksums hold and whose words nobody of ours has written.
@Suite("What somebody else has written into the folder")
struct HostileTests {
    private static let most = EventRule.maxInteger

    private func segment(_ lines: Int, drops: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        Line.append(Array("{\"os.name\":\"Linux\"}".utf8), isEvent: false, to: &bytes)
        for _ in 0..<lines { Line.append(drops: drops, to: &bytes) }
        return bytes
    }

    @Test("a wait is never longer than the longest that is asked for, and a quarter")
    func wait() {
        let wait = Wait(failures: 1, until: Self.most, span: Self.most, held: 0)
        let rest = wait.remaining(at: 1_760_000_000_000, configuration: 5)
        #expect(rest == Backoff.longestAsked / 4 * 5)
    }

    @Test("a line that says more than 10^9 are gone is damaged, and more of ours are several lines")
    func drops() {
        #expect(Line.read(segment(1, drops: 1_000_000_001), from: 0).last?.kind == .damaged)
        #expect(Line.read(segment(1, drops: 1_000_000_000), from: 0).last?.kind != .damaged)
        var lines = Lines()
        lines.drop(2_500_000_000)
        let read = Line.read(lines.bytes, from: 0).map(\.kind)
        #expect(read == [1_000_000_000, 1_000_000_000, 500_000_000].map { .drops($0) })
        #expect(lines.drops == 2_500_000_000)
    }

    @Test("a ledger with a number that no counting reaches is damaged")
    func ledger() {
        let id = RandomID.text(1, 2)
        let changes: [(inout Ledger) -> Void] = [
            { $0.counts.dropped = Self.most }, { $0.unreported = Self.most },
            { $0.nextSequence = Self.most }, { $0.serial = Self.most }, { $0.floor = Self.most },
            { $0.cursors = [.init(segment: Self.most, offset: 1)] },
            { $0.wait.failures = Self.most }, { $0.floor = 1 << 50 },
        ]
        for (index, change) in changes.enumerated() {
            var ledger = Ledger(installation: id)
            change(&ledger)
            #expect(Ledger(text: ledger.text) == nil, "change \(index)")
        }
    }

    @Test("what was undone is never fewer than none, whatever it said")
    func undone() {
        var bytes = segment(0, drops: 1)
        for _ in 0..<3 { Line.append(Array("{}".utf8), isEvent: true, to: &bytes) }
        var ledger = Ledger(installation: RandomID.text(1, 2))
        ledger.undone = .init(segment: 1, range: 0..<bytes.count, events: 1, cap: 2)
        let cut = Cut(segment: 1, bytes, from: 0, maxEvents: 2, isUndone: true)
        ledger.freeze(cut, batchID: "b")
        #expect(ledger.undone?.events == 0)
        #expect(Ledger(text: ledger.text) == ledger)
    }

    @Test(
        "a file is a segment under its own name only",
        arguments: [
            ("0000000000000001.events", 1), ("1.events", nil), ("+000000000000001.events", nil),
            ("0000000000000000.events", nil), ("9007199254740991.events", nil),
            ("0562949953421312.events", 562_949_953_421_312), ("00000000000000001.events", nil),
        ] as [(String, Int64?)])
    func names(_ name: String, _ number: Int64?) {
        #expect(Segment.number(in: name) == number)
    }

    @Test("a journal whose lines say that all is gone is opened, and goes on")
    func journal() throws {
        let folder = MemoryFolder()
        folder.make()
        for number in 1...3 {
            let name = Segment.name(Int64(number))
            folder.put(.init(segment(2000, drops: Self.most)), at: name)
        }
        let journal = try Journal(
            MemoryDisk(folder: folder, process: SimulatedProcess(id: 1)), limit: 1 << 20,
            resource: Array("{\"os.name\":\"Linux\"}".utf8), newID: { RandomID.text(1, 2) })
        #expect(journal.ledger.counts.dropped == 6000)
    }

    @Test("a line of the log is one line, whatever a server says")
    func log() {
        let phone = SimulatedPhone(
            SimulatedProcess(id: 1), .init(SimulatedServer()), seed: 1)
        let folder = MemoryFolder()
        let machine = Machine(
            phone, disk: MemoryDisk(folder: folder, process: phone.process), limits: Limits(),
            clock: Clock(wall: 0, monotonic: 0), fingerprint: 1,
            resource: Array("{\"os.name\":\"Linux\"}".utf8))
        machine.log(
            "refused: a\nverdict a accepted\u{1B}[2J\u{2028}"
                + String(repeating: "x", count: 70_000))
        #expect(phone.lines.count == 1)
        let wanted = "refused: a\\x0Averdict a accepted\\x1B[2J\\xE2\\x80\\xA8x"
        #expect(phone.lines[0].hasPrefix(wanted))
        #expect(phone.lines[0].utf8.count < 2000)
    }
}
