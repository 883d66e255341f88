import Testing

@testable import Query

@Suite("Rounds in which pieces of sessions are collected")
struct PieceRoundsTests {
    private func piece(of device: Int64, _ session: UInt64) -> SessionPiece {
        SessionPiece(
            device: device, session: session, resource: 1,
            fold: SessionFold(
                timeout: 1, from: 0, to: 0, silence: 0, count: 1, hasStart: true, isEnded: true))
    }

    private func part(_ pieces: [SessionPiece]) -> SessionScan.Part<NoShare> {
        var part = SessionScan.Part(found: NoShare(), .all, .unbounded)
        for piece in pieces { part.pieces.add(piece) }
        return part
    }

    @Test("a thread keeps the pieces of its round's devices, those of one device together")
    func splits() {
        let all = PieceRounds(limit: 3, .all)
        var part = part([0, 1, 1, 2].map { piece(of: $0, 7) })
        part.count(in: all)
        #expect(part.share == PieceRounds.Share(rounds: 2, round: 0) && part.pieces.count == 2)
        part.pieces.add(piece(of: 4, 7))
        part.count(in: all)
        #expect(part.share.rounds == 2 && part.pieces.count == 3)
        // A round more does not help.
        for session in UInt64(8)..<12 { part.pieces.add(piece(of: 0, session)) }
        part.count(in: all)
        #expect(part.share.rounds == 64 && part.pieces.count == 5)
    }

    @Test("what threads hold is counted together, by those that know how many rounds there are")
    func counts() {
        let all = PieceRounds(limit: 3, .all)
        var (a, b) = (
            part([0, 1].map { piece(of: $0, 7) }), part([2, 3].map { piece(of: $0, 7) })
        )
        a.count(in: all)
        #expect(a.share == .all)
        b.count(in: all)
        #expect(b.share.rounds == 2 && b.pieces.count == 1)
        // What it drops does not count.
        for session in UInt64(8)..<12 { a.pieces.add(piece(of: 1, session)) }
        a.count(in: all)
        #expect(a.share.rounds == 2 && a.pieces.count == 1)
        b.count(in: all)
        #expect(b.share.rounds == 2)
    }

    @Test("threads that ended in different numbers of rounds are merged")
    func merges() throws {
        let all = PieceRounds(limit: 3, .all)
        var a = part([0, 1, 3].map { piece(of: $0, UInt64($0)) })
        var b = part([2, 3].map { piece(of: $0, UInt64($0)) })
        a.count(in: all)
        b.count(in: all)
        try b.merge(a)
        let keys = b.pieces.keys(.unbounded)
        #expect(b.share.rounds == 2 && b.pieces.count == 2)
        #expect((0..<4).map { keys.contains(UInt64($0)) } == [true, false, true, false])
        try a.merge(part([]))
        try a.merge(b)
        #expect(a.share.rounds == 2 && a.pieces.count == 3)
    }

    @Test("the memory of pieces of other rounds is given back")
    func memory() {
        let account = ReportAccount.unbounded
        var part = SessionScan.Part(found: NoShare(), .all, account)
        for device in Int64(0)..<100_000 { part.pieces.add(piece(of: device, 7)) }
        let before = account.held
        part.count(in: PieceRounds(limit: 60_000, .all))
        #expect(part.pieces.count == 50_000 && account.held < before * 2 / 3)
    }
}
