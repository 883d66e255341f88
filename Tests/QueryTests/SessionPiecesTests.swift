import Events
import TestSupport
import Testing

@testable import Query

@Suite("Pieces of sessions")
struct SessionPiecesTests {
    private func piece(_ session: UInt64, of device: Int64, at start: Int64) -> SessionPiece {
        var fold = SessionFold(timeout: 1000)
        fold.add(time: start, kind: .other)
        return SessionPiece(device: device, session: session, resource: 1, fold: fold)
    }

    /// Each session as its device, its key and the begins of its pieces.
    private func sessions(_ pieces: SessionPieces) throws -> [[Int64]] {
        var all: [[Int64]] = []
        try pieces.forEachSession { some in
            let first = some[some.startIndex]
            all.append([first.device, Int64(first.session)] + some.map(\.fold.start))
        }
        return all
    }

    @Test("of devices that chose ids with one key are kept apart")
    func alike() throws {
        var pieces = SessionPieces()
        for start: Int64 in [30, 10, 20] {
            for device: Int64 in 1...4 { pieces.add(piece(7, of: device, at: start)) }
            pieces.add(piece(9, of: 2, at: start))
        }
        var other = SessionPieces()
        other.add(piece(7, of: 3, at: 15))
        pieces.merge(other)
        let found = try sessions(pieces).sorted { ($0[0], $0[1]) < ($1[0], $1[1]) }
        #expect(
            found == [
                [1, 7, 10, 20, 30], [2, 7, 10, 20, 30], [2, 9, 10, 20, 30], [3, 7, 10, 15, 20, 30],
                [4, 7, 10, 20, 30],
            ])
        #expect(pieces.contains(7, of: 4) && !pieces.contains(7, of: 5))
        #expect(pieces.contains(9, of: 2) && !pieces.contains(9, of: 1))
        #expect(pieces.containsAny(of: [8, 9]) && !pieces.containsAny(of: [8]))
    }

    /// CPU time of this thread for adding pieces of so many devices with one key.
    private func adding(_ count: Int64) -> Duration {
        let times = (0..<3).map { _ in
            threadTime {
                var pieces = SessionPieces()
                for device in 0..<count { pieces.add(piece(7, of: device, at: 0)) }
            }
        }
        return times.min() ?? .zero
    }

    @Test("are found in the same time, however many devices chose one key")
    func linear() {
        // Eight times as many take eight times as long, not 64.
        #expect(adding(16_000) < adding(2_000) * 24)
    }
}
