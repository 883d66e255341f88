import Database
import Dispatch
import Storage

extension UnusedCodes {
    /// Rows that are looked at on the connection that writes, about: some milliseconds.
    private static let rowsPerLook = 8_192
    /// Of one that is deleted: it stands in up to four trees.
    private static let weightOfCode = 4

    /// What was deleted of the dictionaries.
    struct Deleted: Sendable {
        /// Rows of names and attribute keys.
        var words: Int64 = 0
        var resources: Int64 = 0

        mutating func add(_ other: Deleted) {
            words += other.words
            resources += other.resources
        }
    }

    /// Deletes what nobody uses, some at a time. What is appended meanwhile is looked at beside the writer before each
    /// step, for all that is left; so a step has to look only at what came since.
    /// - Parameters:
    ///   - reader: sees what the steps have committed
    ///   - shouldStop: asked now and then; what is left then stays
    mutating func delete(
        by steps: any StepRunner, _ reader: Connection, _ pace: inout SlicePace,
        shouldStop: () -> Bool = { false }
    ) throws(StorageError) -> Deleted {
        var deleted = Deleted()
        while true {
            _ = try leaveOutUsed(reader, shouldStop: shouldStop)
            if isEmpty || shouldStop() { return deleted }
            let some = takeFirst(pace.weight / Self.weightOfCode)
            deleted.add(try some.deleteAtOnce(by: steps, &pace))
        }
    }

    /// Deletes these in one step, unless more came than one may look at while it waited for its turn: then a further one
    /// goes on from there, and looks at twice as many, so that it comes to an end beside any writer.
    private func deleteAtOnce(
        by steps: any StepRunner, _ pace: inout SlicePace
    ) throws(StorageError) -> Deleted {
        var codes = self
        var rows = Self.rowsPerLook
        while true {
            let (step, time) = try steps.step(keeping: .allButCodes) {
                [codes, rows] (connection) throws(StorageError) -> Step in
                var step = Step(codes: codes)
                let isWhole = try step.codes.leaveOutUsed(connection, maxRows: rows)
                if isWhole {
                    let begin = DispatchTime.now().uptimeNanoseconds
                    step.deleted = try step.codes.delete(from: connection)
                    step.work = DispatchTime.now().uptimeNanoseconds - begin
                }
                return step
            }
            codes = step.codes
            rows = min(2 * rows, 8 * Self.rowsPerLook)
            guard let deleted = step.deleted else { continue }
            // Without a row to write it has no sync, by which others are measured.
            if !codes.isEmpty { pace.took(SliceTime(work: step.work, commit: time.commit)) }
            return deleted
        }
    }

    private struct Step: Sendable {
        /// What the step has not found in use.
        var codes: UnusedCodes
        /// Nil where it had too much to look at.
        var deleted: Deleted?
        /// How long it deleted, nanoseconds: fewer would leave it as much to look at.
        var work: UInt64 = 0
    }

    /// Deletes them, and rows of names that no app has any more. The writer has to forget its codes.
    private func delete(from connection: Connection) throws(StorageError) -> Deleted {
        var deleted = Deleted()
        let resource = try connection.prepare("DELETE FROM resource WHERE id = ?")
        for row in resources {
            try resource.bind(1, row)
            try resource.run()
            deleted.resources += connection.changes
        }
        try deleteUses(names, .name, connection)
        try deleteUses(attributeKeys, .attributeKey, connection)
        let name = try connection.prepare(Self.deleteRow(.name))
        for row in Set(names.map(\.word)) {
            try name.bind(1, row)
            try name.run()
            deleted.words += connection.changes
        }
        let key = try connection.prepare(Self.deleteRow(.attributeKey))
        for row in keyRows {
            try key.bind(1, row)
            try key.run()
            deleted.words += connection.changes
        }
        return deleted
    }

    private func deleteUses(
        _ words: Set<AppWord>, _ kind: WordKind, _ connection: Connection
    ) throws(StorageError) {
        let row = try connection.prepare(
            "DELETE FROM \(kind.useTable) WHERE app = ? AND \(kind.table) = ?")
        for word in words {
            try row.bind(1, word.app)
            try row.bind(2, word.word)
            try row.run()
        }
    }

    private static func deleteRow(_ kind: WordKind) -> String {
        """
        DELETE FROM \(kind.table) WHERE id = ?1 AND NOT EXISTS (
            SELECT 1 FROM app AS a CROSS JOIN \(kind.useTable) AS u
            WHERE u.app = a.id AND u.\(kind.table) = ?1)
        """
    }
}
