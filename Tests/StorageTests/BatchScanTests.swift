import StoreTestSupport
import Testing

@testable import Storage

@Suite("Batches, from memory and from rows")
struct BatchScanTests {
    private func insert(_ ids: some Sequence<Int64>, app: Int64 = 7, _ store: TestStore) throws {
        let statement = try store.connection.prepare(
            """
            INSERT INTO batch (id, app, device, resource, batch_id, received_at, clock_shift,
                profile, key, sequence, dropped_events, body_bytes, accepted, rejected,
                first_time, last_time, pruned)
            VALUES (?1, ?2, ?1 % 97, ?1 % 5, ?1, 1000000 - ?1, ?1 % 2 * -3, ?1 % 4 + 1,
                iif(?1 % 3, ?1 % 7 + 1, NULL), iif(?1 % 5, ?1 * 1000, NULL), ?1 % 300, ?1 * 17,
                ?1 % 50 + 1, ?1 % 6, iif(?1 % 11, -?1, NULL), iif(?1 % 11, ?1, NULL), ?1 % 2)
            """)
        for id in ids {
            try statement.bind(1, id)
            try statement.bind(2, app)
            try statement.run()
        }
    }

    /// What the scan says and what the rows say.
    private func expectAll(_ store: TestStore, _ tails: SegmentTails) throws {
        func text(_ number: Int64?) -> String { number.map { "\($0)" } ?? "-" }
        var scan = try BatchScan(of: 7, store.connection, tails)
        var told: [String] = []
        while try scan.next() {
            told.append(
                [
                    scan.device, scan.resource, scan.arrival, scan.isCorrected ? 1 : 0,
                    scan.profile,
                    scan.key, scan.sequence, scan.droppedEvents, scan.bytes, scan.accepted,
                    scan.rejected, scan.events, scan.first, scan.last,
                ].map(text).joined(separator: " "))
        }
        let rows = try store.connection.prepare(
            """
            SELECT device, resource, received_at, clock_shift <> 0, profile, key, sequence,
                dropped_events, body_bytes, accepted, rejected, accepted - pruned,
                coalesce(first_time, 0), coalesce(last_time, 0)
            FROM batch WHERE app = 7 ORDER BY id
            """)
        var stored: [String] = []
        while try rows.step() {
            stored.append((0..<14).map { text(rows.optionalInt($0)) }.joined(separator: " "))
        }
        #expect(told == stored)
    }

    @Test("are all told, with gaps between them, and those that came since")
    func added() throws {
        let store = try TestStore()
        let tails = SegmentTails()
        try expectAll(store, tails)
        // Blocks of 4,096: the last number of one, far ones, and the very last.
        for ids in [1...5, 4090...4095, 4096...4099, 50_000...50_003, 1 << 40...1 << 40 + 2] {
            try insert(Int64(ids.lowerBound)...Int64(ids.upperBound), store)
            try expectAll(store, tails)
            try expectAll(store, tails)
        }
        try insert([1 << 40 + 3], app: 8, store)
        try expectAll(store, tails)
        try insert(1 << 40 + 4...1 << 40 + 9000, store)
        try expectAll(store, tails)
        try expectAll(store, tails)
    }

    @Test("that were taken away are told no more")
    func removed() throws {
        let store = try TestStore()
        let tails = SegmentTails()
        try insert(1...9000, store)
        try expectAll(store, tails)
        try store.connection.execute("DELETE FROM batch WHERE id % 7 = 3")
        try store.connection.noteRemoval(of: 7)
        try expectAll(store, tails)
        // What rows say is read once only: what changes without a word is not seen.
        try store.connection.execute("UPDATE batch SET body_bytes = 0")
        var scan = try BatchScan(of: 7, store.connection, tails)
        #expect(try scan.next() && scan.bytes == 17)
    }
}
