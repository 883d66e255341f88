import Database
import Query
import Storage
import Synchronization

/// A database in memory with one app, filled row by row: what the writer stores, written down again.
package struct TestStore {
    /// The one connection to it.
    package let connection: Connection
    /// The app that the batches are of unless `store` is told otherwise.
    package let app: QueryApp
    private let statements: KeptStatements

    /// A database with two apps, of which neither has a batch.
    package init(timeZone: String = "UTC", timeout: Int64 = 1_800_000) throws {
        let connection = try Connection(path: ":memory:", mode: .memory)
        try RepeatDigest.ofNothing.register(on: connection)
        try Self.empty.withLock { empty in
            let copy = try DatabaseCopy(from: empty.get(), to: connection)
            while try copy.step(pages: -1) {}
        }
        self.connection = connection
        statements = KeptStatements(connection)
        app = QueryApp(id: 7, name: "shop", timeZone: timeZone, sessionTimeout: timeout)
    }

    /// What each begins as: its pages are copied, rather than all migrations run anew.
    private static let empty = Mutex(Result { try made() })

    private static func made() throws -> Connection {
        let connection = try Connection(path: ":memory:", mode: .memory)
        try RepeatDigest.ofNothing.register(on: connection)
        for step in Migration.all {
            try connection.execute(String(decoding: step.sql, as: UTF8.self))
        }
        try connection.execute("INSERT INTO app VALUES (7, 'shop', 'Shop', 'UTC', 1, 0, 0, 0)")
        try connection.execute("INSERT INTO app VALUES (8, 'other', 'Other', 'UTC', 1, 0, 0, 0)")
        // In another order than that of the bytes.
        for (id, name) in [(1, "k-b"), (2, "k-a"), (3, "k-Z")] {
            try connection.execute(
                "INSERT INTO key(id, name, app, profile, wrapped, created_at) "
                    + "VALUES (\(id), '\(name)', 7, 'plain', x'', 0)")
        }
        return connection
    }

    /// A database with batches of `app`.
    package init(
        _ batches: [SentBatch], timeZone: String = "UTC", timeout: Int64 = 1_800_000
    ) throws {
        try self.init(timeZone: timeZone, timeout: timeout)
        try connection.execute("BEGIN")
        for batch in batches { try store(batch) }
        try connection.execute("COMMIT")
    }

    /// The 16 bytes by which a device is stored.
    package static func hash(of device: String) -> [UInt8] {
        var state: UInt64 = 0xcbf2_9ce4_8422_2325
        return (0..<16).map { _ in
            for byte in device.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return UInt8(truncatingIfNeeded: state >> 40)
        }
    }

    /// Adds a batch.
    package func store(_ batch: SentBatch, app: Int64 = 7) throws {
        let members = [
            "os.name", "os.version", "device.model.identifier", "device.manufacturer",
            "service.version", "app.build_id", "telemetry.sdk.name", "telemetry.sdk.version",
        ].map { batch.resource[$0] ?? "" }
        let resource = try row(
            """
            INSERT INTO resource(os_name, os_version, device_model, device_manufacturer,
                service_version, app_build_id, sdk_name, sdk_version)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO UPDATE SET os_name = os_name
            RETURNING id
            """
        ) { for (place, text) in members.enumerated() { try $0.bind(Int32(place + 1), text) } }
        let device = try row(
            """
            INSERT INTO device(app, hash, shared) VALUES (?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET shared = max(shared, excluded.shared) RETURNING id
            """
        ) {
            try $0.bind(1, app)
            try $0.bindBlob(2, Self.hash(of: batch.device))
            try $0.bind(3, Int64(batch.isShared ? 1 : 0))
        }
        var sessions = TextPlaces()
        var keys = TextPlaces()
        var rows: [(session: Int?, attributes: String?)] = []
        for event in batch.events {
            var parts: [String] = []
            for (key, json) in event.attributes { parts += ["\(keys.place(of: key))", json] }
            rows.append(
                (
                    event.session.map { sessions.place(of: $0) },
                    parts.isEmpty ? nil : parts.joined(separator: ",")
                ))
        }
        func json(_ list: [String]) -> String? {
            list.isEmpty ? nil : "[\(list.map { "\"\($0)\"" }.joined(separator: ","))]"
        }
        let times = batch.left.map(\.event.time)
        let codes = try keys.texts.map { key in
            try row(
                """
                INSERT INTO attribute_key(text) VALUES (?1) ON CONFLICT DO UPDATE SET text = text
                RETURNING id
                """
            ) { try $0.bind(1, key) }
        }
        let keyCodes = codes.isEmpty ? nil : "\(codes)".replacing(" ", with: "")
        let id = try row(
            """
            INSERT INTO batch(app, device, resource, batch_id, received_at, accepted, first_time,
                last_time, sessions, attribute_keys, clock_shift, profile, key, sequence,
                dropped_events, body_bytes, rejected, pruned)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
                (SELECT id FROM key WHERE name = ?13), ?14, ?15, ?16, ?17, ?18) RETURNING id
            """
        ) {
            try $0.bind(1, app)
            try $0.bind(2, device)
            try $0.bind(3, resource)
            try $0.bind(4, batch.id)
            try $0.bind(5, batch.receivedAt)
            try $0.bind(6, Int64(batch.events.count))
            if let first = times.min(), let last = times.max() {
                try $0.bind(7, first)
                try $0.bind(8, last)
            }
            try $0.bind(9, json(sessions.texts))
            try $0.bind(10, keyCodes)
            try $0.bind(11, batch.clockShift)
            try $0.bind(12, batch.profile)
            try $0.bind(13, batch.key)
            try $0.bind(14, batch.sequence)
            try $0.bind(15, batch.dropped)
            try $0.bind(16, batch.bytes)
            try $0.bind(17, Int64(batch.rejected.count))
            try $0.bind(18, Int64(batch.pruned.count))
        }
        try storeArrival(of: batch, id: id)
        for (place, (event, row)) in zip(batch.events, rows).enumerated()
        where !batch.pruned.contains(place) {
            let name = try self.row(
                """
                INSERT INTO name(text) VALUES (?1) ON CONFLICT DO UPDATE SET text = text
                RETURNING id
                """
            ) { try $0.bind(1, event.name) }
            let index = Int64(batch.firstIndex + place)
            _ = try self.row("INSERT INTO event VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id") {
                try $0.bind(1, id << 13 | index)
                try $0.bind(2, name)
                try $0.bind(3, batch.receivedAt - event.time)
                if let session = row.session { try $0.bind(4, Int64(session)) }
                try $0.bind(5, row.attributes)
            }
            try see(event.time, batch.id, index, device: device, resource: resource)
        }
    }

    /// What is kept of rejected events and repeats.
    private func storeArrival(of batch: SentBatch, id: Int64) throws {
        for code in batch.rejected {
            _ = try row(
                """
                INSERT INTO rejection(app, batch, code, events, first_index)
                SELECT app, id, ?2, 1, 0 FROM batch WHERE id = ?1
                ON CONFLICT DO UPDATE SET events = events + 1 RETURNING 1
                """
            ) {
                try $0.bind(1, id)
                try $0.bind(2, code)
            }
        }
        for (time, bytes) in batch.repeats { try repeatBatch(id: id, at: time, bytes: bytes) }
    }

    /// A repeat of the batch in a row.
    package func repeatBatch(id: Int64, at time: Int64, bytes: Int64 = 0) throws {
        _ = try row(
            """
            INSERT INTO repeat(app, quarter, batch, times, body_bytes)
            SELECT app, ?1, id, 1, ?3 FROM batch WHERE id = ?2
            ON CONFLICT DO UPDATE SET times = times + 1, body_bytes = body_bytes + ?3
            RETURNING 1
            """
        ) {
            try $0.bind(1, QuarterHour.number(of: time))
            try $0.bind(2, id)
            try $0.bind(3, bytes)
        }
    }

    /// A whole batch that was refused.
    package func refuse(_ code: String, at time: Int64, app: Int64 = 7) throws {
        _ = try row(
            """
            INSERT INTO refusal(app, quarter, code, batches) VALUES (?1, ?2, ?3, 1)
            ON CONFLICT DO UPDATE SET batches = batches + 1 RETURNING 1
            """
        ) {
            try $0.bind(1, app)
            try $0.bind(2, QuarterHour.number(of: time))
            try $0.bind(3, code)
        }
    }

    private func see(
        _ time: Int64, _ batch: String, _ index: Int64, device: Int64, resource: Int64
    ) throws {
        _ = try row(
            """
            UPDATE device SET first_time = ?1, first_batch_id = ?2, first_index = ?3,
                first_resource = ?5
            WHERE id = ?4 AND (first_time IS NULL
                OR (first_time, first_batch_id, first_index) > (?1, ?2, ?3))
            RETURNING id
            """
        ) {
            try $0.bind(1, time)
            try $0.bind(2, batch)
            try $0.bind(3, index)
            try $0.bind(4, device)
            try $0.bind(5, resource)
        }
    }

    private func row(_ sql: String, _ bind: (borrowing Statement) throws -> Void) throws -> Int64 {
        try statements.row(sql, bind)
    }

    /// Packs events into segments.
    /// - Parameter limit: how many of them are packed together; with 1 those of each batch and day
    package func pack(limit: Int) throws {
        try connection.transaction { () throws(StorageError) in
            try Segmenter(connection, limit: limit).begin()
        }
    }

    /// Rebuilds the segments of all stale days.
    package func rebuildStaleDays() throws {
        try StaleDays.rebuildAll(connection) { (work) throws(StorageError) in
            try work(connection)
        }
    }

    /// Gives all segments their blocks of attributes.
    /// - Returns: how many have got one
    @discardableResult
    package func makeAttributeBlocks() throws -> Int {
        try connection.transaction { () throws(StorageError) in
            var maker = try AttributeBlockMaker(connection)
            for segment in try AttributeBlocks.missing(connection) { try maker.add(segment) }
            let made = try maker.blocks { true } ?? []
            try AttributeBlocks.insert(made[...], connection)
            return made.count
        }
    }

    /// Calls `body` with the events in segments of one batch and day each, in larger ones with a rest of
    /// rows, with attributes beside these, of the first form, and with stale days.
    package func forEachForm(_ body: (_ form: String) throws -> Void) throws {
        for limit in [1, 7] {
            try pack(limit: limit)
            try body("\(limit) events a segment")
            try makeAttributeBlocks()
            try body("\(limit) events a segment, with attributes")
            try FirstForm.write(connection)
            try body("\(limit) events a segment, of the first form")
            try connection.execute(
                """
                INSERT INTO stale_day (app, day)
                SELECT DISTINCT app, day FROM segment WHERE app = \(app.id) AND day % 2 = 0
                """)
            try body("\(limit) events a segment, some stale")
            try SegmentTable.removeAll(of: app.id, connection)
        }
    }
}

/// 2026-03-28T12:00:00Z, a Saturday.
package let noon: Int64 = 1_774_699_200_000
/// Milliseconds.
package let hour: Int64 = 3_600_000
/// Milliseconds.
package let day: Int64 = 86_400_000
