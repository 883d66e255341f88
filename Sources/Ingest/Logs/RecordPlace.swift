/// Where a record stands in its request, each from 0.
package struct RecordPlace: Hashable, Sendable, CustomStringConvertible {
    /// Of all ResourceLogs.
    package let resource: Int
    /// Of the ScopeLogs of these.
    package let scope: Int
    /// Of the records of this.
    package let record: Int

    package init(resource: Int, scope: Int, record: Int) {
        self.resource = resource
        self.scope = scope
        self.record = record
    }

    /// As answers name it: `R/S/L`.
    package var description: String { "\(resource)/\(scope)/\(record)" }
}

extension RecordPlace: Comparable {
    package static func < (left: RecordPlace, right: RecordPlace) -> Bool {
        (left.resource, left.scope, left.record) < (right.resource, right.scope, right.record)
    }
}

/// Where the records of one batch stand.
package struct RecordPlaces: Sendable {
    /// Where records begin that stand one after another.
    private struct Run: Sendable {
        let index: Int
        let scope: Int
        let record: Int
    }

    private let resource: Int
    private var runs: [Run] = []

    init(resource: Int) { self.resource = resource }

    /// Adds the next record.
    /// - Parameter index: in the batch
    mutating func add(index: Int, scope: Int, record: Int) {
        if let last = runs.last, last.scope == scope, record - last.record == index - last.index {
            return
        }
        runs.append(Run(index: index, scope: scope, record: record))
    }

    /// The place of the record of that index in the batch, which has one.
    package func place(of index: Int) -> RecordPlace {
        guard let run = runs.last(where: { $0.index <= index }) else {
            return RecordPlace(resource: resource, scope: 0, record: index)
        }
        return RecordPlace(
            resource: resource, scope: run.scope, record: run.record + index - run.index)
    }
}
