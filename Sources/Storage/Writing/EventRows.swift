import Events

/// Appends a batch's events: fifty rows to a statement, which costs three quarters of one row each,
/// then ever fewer.
struct EventRows: ~Copyable {
    /// `event.id` = batch << this | index as sent.
    static let indexBits: Int64 = 13
    /// The largest index that leaves the batch's number alone.
    static let largestIndex = (1 << indexBits) - 1

    private let fifty: Statement
    private let ten: Statement
    private let one: Statement

    init(_ connection: Connection) throws(StorageError) {
        let fifty = try connection.prepare(Self.insert(rows: 50))
        let ten = try connection.prepare(Self.insert(rows: 10))
        let one = try connection.prepare(Self.insert(rows: 1))
        // All or none: a value that cannot be copied is never half there.
        self.fifty = fifty
        self.ten = ten
        self.one = one
    }

    private static func insert(rows: Int) -> String {
        "INSERT INTO event (id, name, late, session, attributes) VALUES "
            + Array(repeating: "(?, ?, ?, ?, ?)", count: rows).joined(separator: ", ")
    }

    /// - Parameter names: the rows of `name` that the batch's names have, by place.
    func append(
        _ batch: borrowing AcceptedBatch, number: Int64, names: [Int64]
    ) throws(StorageError) {
        let events = batch.events
        try batch.text.span.withUnsafeBytes { (text) throws(StorageError) in
            var place = 0
            while place < events.count {
                let left = events.count - place
                if left >= 50 {
                    try run(
                        fifty, events[place..<place + 50], text, number, batch.receivedAt, names)
                    place += 50
                } else if left >= 10 {
                    try run(ten, events[place..<place + 10], text, number, batch.receivedAt, names)
                    place += 10
                } else {
                    try run(one, events[place...place], text, number, batch.receivedAt, names)
                    place += 1
                }
            }
            // The texts are not copied, and go when the batch goes.
            if events.count >= 50 { fifty.clear() }
            ten.clear()
            one.clear()
        }
    }

    @inline(__always)
    private func run(
        _ statement: borrowing Statement, _ events: ArraySlice<AcceptedEvent>,
        _ text: UnsafeRawBufferPointer, _ number: Int64, _ receivedAt: Int64, _ names: [Int64]
    ) throws(StorageError) {
        var parameter: Int32 = 1
        for event in events {
            try statement.bind(parameter, number << Self.indexBits | Int64(event.index))
            try statement.bind(parameter + 1, names[Int(event.name)])
            try statement.bind(parameter + 2, receivedAt &- event.time)
            if event.session < 0 {
                try statement.bindNull(parameter + 3)
            } else {
                try statement.bind(parameter + 3, Int64(event.session))
            }
            if event.attributes.isEmpty {
                try statement.bindNull(parameter + 4)
            } else {
                let range = Int(event.attributes.lowerBound)..<Int(event.attributes.upperBound)
                try statement.bindText(
                    parameter + 4, borrowing: UnsafeRawBufferPointer(rebasing: text[range]))
            }
            parameter += 5
        }
        try statement.run()
    }
}
