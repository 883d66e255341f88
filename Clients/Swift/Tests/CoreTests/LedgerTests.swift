import Testing

@testable import Core

@Suite("The ledger")
struct LedgerTests {
    private func newID() -> String {
        RandomID.text(.random(in: .min ... .max), .random(in: .min ... .max))
    }

    /// A segment of a resource and so many events; `D` lines count three dropped ones.
    private func segment(_ kinds: String) -> [UInt8] {
        var bytes: [UInt8] = []
        Line.append(Array("{\"os.name\":\"Linux\"}".utf8), isEvent: false, to: &bytes)
        for kind in kinds {
            switch kind {
            case "E":
                Line.append(Array("{\"name\":\"a\",\"time\":1}".utf8), isEvent: true, to: &bytes)
            case "D": Line.append(drops: 3, to: &bytes)
            default: bytes += "what was a line\n".utf8
            }
        }
        return bytes
    }

    private func cut(_ bytes: [UInt8], from start: Int? = nil, max: Int = 5000) -> Cut {
        let header = Line.read(bytes, from: 0)[0].range.upperBound
        return Cut(segment: 1, bytes, from: start ?? header, maxEvents: max)
    }

    @Test("freezing takes the count of what was dropped, and the next sequence")
    func freezing() {
        var ledger = Ledger(installation: newID())
        ledger.freeze(cut(segment("EDE?")), batchID: "b")
        #expect(ledger.frozen?.events == 2)
        #expect(ledger.frozen?.dropped == 4)
        #expect(ledger.frozen?.sequence == 1)
        #expect(ledger.counts.dropped == 4)
        #expect(ledger.unreported == 0)
        #expect(ledger.nextSequence == 2)
    }

    @Test(
        "what becomes of a batch of five: accepted, rejected, dropped, to be told, sequence",
        arguments: [
            ("stored", [5, 0, 3, 0, 2]), ("three rejected", [2, 3, 3, 0, 2]),
            ("refused", [0, 0, 8, 8, 2]), ("undone", [0, 0, 3, 3, 1]),
        ] as [(String, [Int64])])
    func outcomes(_ name: String, _ wanted: [Int64]) {
        var ledger = Ledger(installation: newID())
        ledger.freeze(cut(segment("EDEEEE")), batchID: "b")
        switch name {
        case "stored": ledger.settle(rejected: 0)
        case "three rejected": ledger.settle(rejected: 3)
        case "refused": ledger.refuse()
        default: ledger.undo()
        }
        let counts = ledger.counts
        #expect(
            [
                counts.accepted, counts.rejected, counts.dropped, ledger.unreported,
                ledger.nextSequence,
            ] == wanted)
        #expect(ledger.frozen == nil)
        #expect(ledger.pinnedEvents == (name == "undone" ? 5 : 0))
    }

    @Test("a batch undone again and again ends with single events, none lost and none twice")
    func splitting() {
        let bytes = segment("EEEDEEEE")
        var ledger = Ledger(installation: newID())
        ledger.freeze(cut(bytes), batchID: "b")
        var stored: Int64 = 0
        var rounds = 0
        while let frozen = ledger.frozen, rounds < 100 {
            rounds += 1
            if frozen.events > 1 {
                ledger.undo()
            } else {
                ledger.settle(rejected: 0)
                stored += 1
            }
            guard let rest = ledger.undone else { break }
            ledger.freeze(
                Cut(
                    segment: 1, bytes, from: rest.range.lowerBound, to: rest.range.upperBound,
                    maxEvents: Int(rest.cap), isUndone: true), batchID: "b\(rounds)")
        }
        #expect(stored == 7)
        #expect(ledger.counts.accepted == 7)
        // The line between them was counted once.
        #expect(ledger.counts.dropped == 3)
        #expect(ledger.undone == nil)
    }

    @Test("a single event that is too large is dropped")
    func tooLarge() {
        var ledger = Ledger(installation: newID())
        ledger.freeze(cut(segment("E")), batchID: "b")
        ledger.undo()
        #expect(ledger.counts.dropped == 1 && ledger.undone == nil && ledger.nextSequence == 1)
    }

    @Test("deleting takes what waits and what is on its way, and tells nobody")
    func wiping() {
        var ledger = Ledger(installation: newID())
        ledger.freeze(cut(segment("EE")), batchID: "b")
        ledger.wipe(waiting: 6, drops: 1, ends: [.init(segment: 1, offset: 99)])
        #expect(ledger.counts.deleted == 6 && ledger.counts.dropped == 1)
        #expect(ledger.unreported == 0 && ledger.frozen == nil && ledger.cursor(of: 1) == 99)
    }

    @Test("another device counts from 1, and remembers nothing")
    func forgetting() {
        var ledger = Ledger(installation: newID())
        let firsts = [ledger.complete("a"), ledger.complete("a")]
        #expect(firsts == [true, false])
        ledger.freeze(cut(segment("EE")), batchID: "b")
        let before = ledger.installation
        ledger.forget(waiting: 2, drops: 0, ends: [], installation: newID())
        #expect(ledger.installation != before && ledger.nextSequence == 1)
        let isFirst = ledger.complete("a")
        #expect(isFirst)
    }

    @Test("a segment that is gone leaves its number used")
    func numbers() {
        var ledger = Ledger(installation: newID())
        #expect(ledger.highestSegment == 0)
        ledger.skip(Cut(segment: 8, upTo: 900))
        #expect(ledger.highestSegment == 8)
        ledger.floor = 12
        #expect(ledger.highestSegment == 11)
    }

    @Test("the file says all of it, and no byte of it can change unseen")
    func text() {
        var ledger = Ledger(installation: newID())
        _ = ledger.complete("a")
        ledger.freeze(cut(segment("EDE")), batchID: newID())
        ledger.undo()
        ledger.freeze(cut(segment("E")), batchID: newID())
        ledger.frozen?.tooLarge = 2
        ledger.wait = Wait(failures: 3, until: 1_700_000_000_000, span: 4000, held: .max)
        let text = ledger.text
        #expect(Ledger(text: text) == ledger)
        for index in text.indices {
            var damaged = text
            damaged[index] ^= 1
            #expect(Ledger(text: damaged) == nil)
            #expect(Ledger(text: Array(text[..<index])) == nil)
        }
    }
}
