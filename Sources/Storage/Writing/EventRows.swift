import Database
import Events

/// Appends a batch's events. A row that follows the one before is given no id: SQLite counts on from the
/// table's last, and need not be searched. Many of them go into one statement. Both together take a third
/// less of its time than a statement a row with its id.
struct EventRows: ~Copyable {
    private let connection: Connection
    /// Whether all rows that there are come before those of the next batch. In a database that somebody
    /// has changed by hand they may not, and then each row is given its id.
    private var appends: Bool
    private let placed: Statement
    /// Of so many rows. A batch of fifty events is one placed and one time forty-nine.
    private let fortyNine: Statement
    private let seven: Statement
    private let one: Statement

    /// - Parameter next: no batch that is appended has a lower number
    init(_ connection: Connection, next: Int64) throws(StorageError) {
        let last = try connection.integer("SELECT max(id) FROM event") ?? 0
        let placed = try connection.prepare(
            "INSERT INTO event (name, late, session, attributes, id) VALUES (?, ?, ?, ?, ?)")
        let fortyNine = try connection.prepare(Self.following(rows: 49))
        let seven = try connection.prepare(Self.following(rows: 7))
        let one = try connection.prepare(Self.following(rows: 1))
        // All or none: a value that cannot be copied is never half there.
        self.connection = connection
        self.appends = EventID(rawValue: last).batch < next
        self.placed = placed
        self.fortyNine = fortyNine
        self.seven = seven
        self.one = one
    }

    private static func following(rows: Int) -> String {
        "INSERT INTO event (name, late, session, attributes) VALUES "
            + Array(repeating: "(?, ?, ?, ?)", count: rows).joined(separator: ", ")
    }

    /// - Parameter names: the rows of `name` of the batch's names, by index
    mutating func append(
        _ batch: borrowing AcceptedBatch, number: Int64, names: [Int64]
    ) throws(StorageError) {
        let events = batch.events
        try batch.text.span.withUnsafeBytes { (text) throws(StorageError) in
            let values = Values(text: text, receivedAt: batch.receivedAt, names: names)
            var index = 0
            while index < events.count {
                try placed.bind(5, id(of: events[index], in: number))
                try run(placed, events[index...index], values)
                index += 1
                guard appends else { continue }
                let end = Self.endOfRun(in: events, from: index)
                while index < end {
                    let left = end - index
                    if left >= 49 {
                        try run(fortyNine, events[index..<index + 49], values)
                        index += 49
                    } else if left >= 7 {
                        try run(seven, events[index..<index + 7], values)
                        index += 7
                    } else {
                        try run(one, events[index...index], values)
                        index += 1
                    }
                }
                guard connection.lastInsertedRow == id(of: events[end - 1], in: number) else {
                    appends = false
                    throw .unstorable(rule: "a batch's events are the last rows of their table")
                }
            }
        }
    }

    private func id(of event: AcceptedEvent, in batch: Int64) -> Int64 {
        EventID(batch: batch, index: Int64(event.index)).rawValue
    }

    /// The index after the last of the events that follow the one before `start` without a gap.
    private static func endOfRun(in events: [AcceptedEvent], from start: Int) -> Int {
        var end = start
        while end < events.count, events[end].index == events[end - 1].index &+ 1 { end += 1 }
        return end
    }

    /// What a batch's rows are made of.
    private struct Values {
        let text: UnsafeRawBufferPointer
        let receivedAt: Int64
        let names: [Int64]
    }

    /// Binds every parameter: the texts are not copied, and those of the batch before are gone.
    @inline(__always)
    private func run(
        _ statement: borrowing Statement, _ events: ArraySlice<AcceptedEvent>, _ values: Values
    ) throws(StorageError) {
        var parameter: Int32 = 1
        for event in events {
            try statement.bind(parameter, values.names[Int(event.name)])
            try statement.bind(parameter + 1, values.receivedAt &- event.time)
            if event.session < 0 {
                try statement.bindNull(parameter + 2)
            } else {
                try statement.bind(parameter + 2, Int64(event.session))
            }
            if event.attributes.isEmpty {
                try statement.bindNull(parameter + 3)
            } else {
                let range = Int(event.attributes.lowerBound)..<Int(event.attributes.upperBound)
                try statement.bindText(
                    parameter + 3, borrowing: UnsafeRawBufferPointer(rebasing: values.text[range]))
            }
            parameter += 4
        }
        try statement.run()
    }
}
