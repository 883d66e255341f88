import Database
import Engine
import EngineTestSupport
import Forwarding
import Query
import StoreTestSupport
import TestSupport

@testable import Storage

/// A population on one node, and the same in an engine as several nodes hand it over: spread over two nodes,
/// copied by the other one with moved times, some units twice and in any order, and with older rows of batches
/// that were pruned meanwhile.
struct HandedOver {
    /// The one node that has all.
    let store: TestStore

    init(
        _ population: Population, _ random: inout SplitMix, zone: String, timeout: Int64,
        to engine: TestEngine
    ) throws {
        var alone = population.batches
        var nodes: [String: [SentBatch]] = ["a": [], "b": []]
        for index in alone.indices {
            var batch = alone[index]
            let (first, other) = random.oneIn(2) ? ("a", "b") : ("b", "a")
            let isCopied = random.oneIn(3)
            // Each repeat comes to a node that has the batch.
            var own = batch
            var copy = batch
            own.repeats = []
            copy.repeats = []
            copy.receivedAt += Int64(1 + random.next(3)) * random.pick([1, hour])
            let shift = random.pick([0, 1, hour, -day])
            for event in copy.events.indices { copy.events[event].time += shift }
            copy.bytes += 7
            for one in batch.repeats {
                if isCopied, random.oneIn(2), one.time >= copy.receivedAt {
                    copy.repeats.append(one)
                } else {
                    own.repeats.append(one)
                }
            }
            nodes[first]?.append(own)
            if isCopied {
                nodes[other]?.append(copy)
                batch.repeats.append((time: copy.receivedAt, bytes: copy.bytes))
            }
            alone[index] = batch
        }
        let pruned = random.oneIn(3) ? Pruning(&alone, &random) : nil
        // Stored in another order than that in which they arrived.
        var stored = alone
        random.shuffle(&stored)
        store = try TestStore(stored, timeZone: zone, timeout: timeout)
        try pruned?.keep(in: store)
        for (code, time) in population.refused { try store.refuse(code, at: time) }
        var inserts: [() throws -> Void] = []
        for (name, batches) in nodes.sorted(by: { $0.key < $1.key }) {
            inserts += try Self.inserts(of: batches, by: name, prunedTo: nil, &random, to: engine)
            guard let pruned else { continue }
            // The same again as it is after the prune: what went is known of the one node's batches.
            let left = batches.map { batch in
                var left = batch
                let one = alone.first { $0.device == batch.device && $0.id == batch.id }
                left.pruned = one?.pruned ?? []
                return left
            }
            inserts += try Self.inserts(
                of: left, by: name, prunedTo: 20_000 * day, keeping: pruned, &random, to: engine)
        }
        for (code, time) in population.refused {
            let node = random.pick(["a", "b"])
            let row = RefusalRow(
                app: Array("shop".utf8), quarter: time / 900_000, code: Array(code.utf8),
                node: Array(node.utf8), batches: 0)
            refusals[node, default: [:]][[row.quarter.description, code], default: row].batches += 1
        }
        for row in refusals.values.flatMap(\.values) {
            var rows = RowBinary.Writer()
            // An older count is less.
            if row.batches > 1 {
                var old = row
                old.batches -= 1
                old.append(to: &rows)
            }
            row.append(to: &rows)
            let bytes = rows.bytes
            inserts.append {
                try engine.insert(bytes, into: "refusal", RefusalRow.columns, shard: 0)
            }
        }
        random.shuffle(&inserts)
        for insert in inserts { try insert() }
    }

    private var refusals: [String: [[String]: RefusalRow]] = [:]

    /// The units of a node, some of them twice.
    private static func inserts(
        of batches: [SentBatch], by node: String, prunedTo limit: Int64?,
        keeping pruned: Pruning? = nil, _ random: inout SplitMix, to engine: TestEngine
    ) throws -> [() throws -> Void] {
        let store = try TestStore(batches)
        try pruned?.keep(in: store)
        let spool = try SpoolReader(store.connection, node: node)
        let count = engine.reading.shards
        var (last, number): (Int64, UInt64) = (0, 0)
        var inserts: [() throws -> Void] = []
        func add(_ shards: [SpoolUnit.Shard]) {
            for (shard, rows) in shards.enumerated() {
                let (batches, arrivals) = (rows.batches.bytes, rows.arrivals.bytes)
                inserts.append {
                    try engine.insert(arrivals, into: "arrival", ArrivalRow.columns, shard: shard)
                    try engine.insert(batches, into: "batch", BatchRow.columns, shard: shard)
                }
            }
        }
        var size = SpoolUnit.Limit()
        size.batches = 1 + random.next(20)
        while let unit = try spool.unit(
            after: last, shards: count, number: number, prunedTo: limit, size)
        {
            last = unit.lastBatch
            number += 1
            add(unit.shards)
            if random.oneIn(3) { add(unit.shards) }
        }
        try HandOverMarks.takeBack(from: nil, store.connection)
        let counts = try SpoolCountReader(store.connection, node: node).counts(
            upTo: last, shards: count, limit: .max)
        for (shard, rows) in counts.arrivals.enumerated() {
            inserts.append {
                try engine.insert(rows.bytes, into: "arrival", ArrivalRow.columns, shard: shard)
            }
        }
        return inserts
    }
}

/// What a prune does to batches: events go, and what outlives them is kept.
struct Pruning {
    /// Of each device the time, the batch and the index of its first event ever.
    private var firsts: [String: (time: Int64, batch: String, index: Int)] = [:]
    /// Of each device and content the first completion among events that went.
    private var completions: [[String]: (time: Int64, batch: String, index: Int)] = [:]

    /// Takes events away from some batches.
    init(_ batches: inout [SentBatch], _ random: inout SplitMix) {
        // Of some device nothing is left.
        let gone = random.pick(batches.map(\.device))
        for index in batches.indices {
            let isGone = batches[index].device == gone
            batches[index].pruned.formUnion(
                take(from: batches[index]) { isGone || random.oneIn(3) })
        }
    }

    /// Notes a batch's events, and takes away those that `isTaken` says.
    /// - Returns: their indices
    private mutating func take(from batch: SentBatch, _ isTaken: () -> Bool) -> Set<Int> {
        var taken: Set<Int> = []
        for (place, event) in batch.events.enumerated() {
            let one = (time: event.time, batch: batch.id, index: batch.firstIndex + place)
            firsts[batch.device] = Self.first(firsts[batch.device], one)
            guard isTaken() else { continue }
            taken.insert(place)
            guard event.name == "content.complete",
                let json = event.attributes.first(where: { $0.key == "content.id" })?.json
            else { continue }
            // Scalars: `String`s that Unicode calls equal are two contents.
            let key = [
                batch.device, json.unicodeScalars.map { "\($0.value)" }.joined(separator: " "),
            ]
            completions[key] = Self.first(completions[key], one)
        }
        return taken
    }

    private typealias Place = (time: Int64, batch: String, index: Int)

    private static func first(_ known: Place?, _ one: Place) -> Place {
        guard let known else { return one }
        func key(_ place: Place) -> (Int64, [UInt8], Int) {
            (place.time, Array(place.batch.utf8), place.index)
        }
        let (a, b) = (key(known), key(one))
        if a.0 != b.0 { return a.0 < b.0 ? known : one }
        if a.1 != b.1 { return a.1.lexicographicallyPrecedes(b.1) ? known : one }
        return a.2 <= b.2 ? known : one
    }

    /// Writes down what outlives events, of devices whose batches are in a store.
    func keep(in store: TestStore) throws {
        for (device, first) in firsts {
            let update = try store.connection.prepare(
                """
                UPDATE device SET first_time = ?2, first_index = ?3, first_batch_id = ?4,
                    first_resource = (SELECT resource FROM batch AS b
                        WHERE b.device = device.id AND b.batch_id = ?4)
                WHERE hash = ?1 AND EXISTS (SELECT 1 FROM batch AS b
                    WHERE b.device = device.id AND b.batch_id = ?4)
                """)
            try update.bindBlob(1, TestStore.hash(of: device))
            try update.bind(2, first.time)
            try update.bind(3, Int64(first.index))
            try update.bind(4, first.batch)
            try update.run()
        }
        for (key, first) in completions {
            let text = String(
                String.UnicodeScalarView(
                    key[1].split(separator: " ").compactMap { UInt32($0) }
                        .compactMap { Unicode.Scalar($0) }
                ).dropFirst().dropLast())
            let insert = try store.connection.prepare(
                """
                INSERT INTO completion (device, content, time, event)
                SELECT d.id, ?5, ?2, b.id << 13 | ?3
                FROM device AS d JOIN batch AS b ON b.device = d.id AND b.batch_id = ?4
                WHERE d.hash = ?1
                """)
            try insert.bindBlob(1, TestStore.hash(of: key[0]))
            try insert.bind(2, first.time)
            try insert.bind(3, Int64(first.index))
            try insert.bind(4, first.batch)
            try insert.bind(5, text)
            try insert.run()
        }
    }
}
