import Events
import StoreTestSupport
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
        let store = try TestStore()
        let reading = Reading(store.connection, Interruption())
        return try pieces.collect(Concatenated<[Int64]>(reading.account), reading) { all, some in
            let first = some[some.startIndex]
            all.append([first.device, Int64(first.session)] + some.map(\.start))
        }.all
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
        #expect(pieces.count == 16)
        let keys = pieces.keys(.unbounded)
        #expect(keys.contains(7) && keys.contains(9))
        var marks = SessionMarks()
        marks.set([1 << 63, 0b1])
        #expect(marks[63] && marks[64] && !marks[0] && !marks[65])
        let all = [UInt64](repeating: 7, count: 63) + [8, 9, 7]
        #expect(marks.contains(anyOf: keys, all))
        marks.set([1 << 63, 0])
        #expect(!marks.contains(anyOf: keys, all))
        marks.insert(all) { $0 == 9 }
        #expect(marks[64] && !marks[62] && marks.contains(anyOf: keys, all))
        marks.clear(66)
        #expect(!marks.contains(anyOf: keys, all))
        marks.setAll(66)
        #expect(marks[65] && marks.contains(anyOf: keys, all))
    }

    @Test("say the same as the fold that they were made of", arguments: 0..<8)
    func folds(seed: UInt64) {
        var random = SplitMix(seed: seed)
        for _ in 0..<40 {
            let timeout = Int64.random(in: 1...10_000, using: &random)
            var fold = SessionFold(timeout: timeout)
            var time = Int64.random(in: -1 << 53...1 << 53, using: &random)
            for _ in 0...([0, 1, 5, 8191].randomElement(using: &random) ?? 0) {
                fold.add(
                    time: time,
                    kind: SessionEventKind.allCases.randomElement(using: &random) ?? .other)
                time += Int64.random(in: 0...10_000, using: &random)
            }
            let piece = SessionPiece(device: 1, session: 2, resource: 3, fold: fold)
            let again = piece.fold(timeout)
            #expect(again.start == fold.start && again.last == fold.last)
            #expect(again.duration == fold.duration && again.count == fold.count)
            #expect(again.lead == fold.lead && again.hasTransition == fold.hasTransition)
            #expect(again.isInBackground == fold.isInBackground)
            #expect(piece.resource == 3)
            #expect(again.isStartInferred == fold.isStartInferred)
        }
    }

    @Test("take 40 bytes")
    func size() { #expect(MemoryLayout<SessionPiece>.stride == 40) }

    @Test("have keys that a filter finds, and few others")
    func keys() {
        var random = SplitMix(seed: 1)
        let wanted = Set((0..<20_000).map { _ in UInt64.random(in: 0...(.max), using: &random) })
        var keys = KeyFilter(for: wanted.count, .unbounded)
        for key in wanted { keys.insert(key) }
        #expect(wanted.allSatisfy(keys.contains))
        let others = (0..<20_000).count { _ in
            keys.contains(.random(in: 0...(.max), using: &random))
        }
        #expect(others < 40)
        var short = ShortKeys.Filter(for: wanted.count, .unbounded)
        for key in wanted { short.insert(key) }
        #expect(ShortKeys(Array(wanted)).all.allSatisfy(short.contains))
        let strangers = (0..<200_000).map { _ in UInt64.random(in: 0...(.max), using: &random) }
        #expect(ShortKeys(strangers).all.count(where: short.contains) < 40)
    }
}
