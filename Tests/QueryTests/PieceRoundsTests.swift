import Testing

@testable import Query

@Suite("Rounds in which pieces of sessions are collected")
struct PieceRoundsTests {
    private func piece(of device: Int64, _ session: UInt64) -> SessionPiece {
        SessionPiece(
            device: device, session: session, resource: 1,
            fold: SessionFold(timeout: 1))
    }

    private func part(_ pieces: [SessionPiece]) -> SessionScan.Part<NoShare> {
        var part = SessionScan.Part(found: NoShare(), .all, .unbounded)
        for piece in pieces { part.pieces.add(piece) }
        return part
    }

    /// Devices of the first and of the second of two rounds.
    private let even: [Int64]
    private let odd: [Int64]

    init() {
        let first = PieceRounds.Round(count: 2, number: 0)
        even = (0..<100).filter(first.contains)
        odd = (0..<100).filter { !first.contains($0) }
    }

    @Test("the devices of all rounds are all devices, whichever shard they are in")
    func rounds() {
        let rounds = (0..<4).map { PieceRounds.Round(count: 4, number: $0) }
        var counts = [Int](repeating: 0, count: 4)
        for device in stride(from: Int64(5), to: 320_000, by: 32) {
            let found = rounds.indices.filter { rounds[$0].contains(device) }
            #expect(found.count == 1)
            for round in found { counts[round] += 1 }
        }
        #expect(counts.allSatisfy { $0 > 2000 })
        for device: Int64 in [.min, -1, .max] {
            #expect(rounds.count { $0.contains(device) } == 1)
        }
    }

    @Test("a thread keeps the pieces of its round's devices, those of one device together")
    func splits() {
        let all = PieceRounds(limit: 3, .all, .unbounded)
        var part = part([even[0], odd[0], odd[0], even[1]].map { piece(of: $0, 7) })
        part.count(in: all)
        #expect(part.round == PieceRounds.Round(count: 2, number: 0) && part.pieces.count == 2)
        part.pieces.add(piece(of: even[2], 7))
        part.count(in: all)
        #expect(part.round.count == 2 && part.pieces.count == 3)
        // A round more does not help.
        let first = (0..<10_000).first { PieceRounds.Round(count: 64, number: 0).contains($0) } ?? 0
        for session in UInt64(8)..<12 { part.pieces.add(piece(of: first, session)) }
        part.count(in: all)
        #expect(part.round.count == 64 && part.pieces.count >= 4)
    }

    @Test("what threads hold is counted together, by those that know how many rounds there are")
    func counts() {
        let all = PieceRounds(limit: 3, .all, .unbounded)
        var a = part([even[0], odd[0]].map { piece(of: $0, 7) })
        var b = part([even[1], odd[1]].map { piece(of: $0, 7) })
        a.count(in: all)
        #expect(a.round == .all)
        b.count(in: all)
        #expect(b.round.count == 2 && b.pieces.count == 1)
        // What it drops does not count.
        for session in UInt64(8)..<12 { a.pieces.add(piece(of: odd[0], session)) }
        a.count(in: all)
        #expect(a.round.count == 2 && a.pieces.count == 1)
        b.count(in: all)
        #expect(b.round.count == 2)
    }

    @Test("threads that ended in different numbers of rounds are merged")
    func merges() throws {
        let all = PieceRounds(limit: 3, .all, .unbounded)
        var a = part([piece(of: even[0], 1), piece(of: odd[0], 2), piece(of: odd[1], 3)])
        var b = part([piece(of: even[1], 4), piece(of: odd[1], 5)])
        a.count(in: all)
        b.count(in: all)
        try b.merge(a)
        let keys = b.pieces.keys(.unbounded)
        #expect(b.round.count == 2 && b.pieces.count == 2)
        #expect((1...5).map { keys.contains(UInt64($0)) } == [true, false, false, true, false])
        try a.merge(part([]))
        try a.merge(b)
        #expect(a.round.count == 2 && a.pieces.count == 3)
    }

    @Test("the memory of pieces of other rounds is given back")
    func memory() {
        let account = ReportAccount.unbounded
        var part = SessionScan.Part(found: NoShare(), .all, account)
        for device in Int64(0)..<100_000 { part.pieces.add(piece(of: device, 7)) }
        let before = account.held
        part.count(in: PieceRounds(limit: 60_000, .all, account))
        #expect((40_000..<60_000).contains(part.pieces.count) && account.held < before * 3 / 4)
    }

    @Test("without a limit they may take twice as much as memory has left")
    func room() {
        let memory = ReportMemory(limit: 100 << 20)
        let (mine, other) = (memory.account(of: nil), memory.account(of: nil))
        let all = PieceRounds(limit: nil, .all, mine)
        mine.add(40_000_000)
        #expect(all.add(1_000_000, of: .all) == 1)
        other.add(50_000_000)
        // Now these 40 MB are more than twice what is left.
        #expect(all.add(1, of: .all) == 2)
        // Few are never too many, and in later rounds nothing is.
        let two = PieceRounds.Round(count: 2, number: 0)
        #expect(all.add(500_000, of: two) == 2)
        let later = PieceRounds.Round(count: 2, number: 1)
        #expect(PieceRounds(limit: nil, later, mine).add(.max, of: later) == 2)
        #expect(PieceRounds(limit: nil, .all, .unbounded).add(5_000_001, of: .all) == 2)
    }
}
