import Database
import Storage

/// What was made of attributes that had no block.
package struct MadeAttributes: Sendable, Equatable {
    /// Segments that have got a block.
    package var segments = 0
    /// Whether none is left that could have one.
    package var isWhole = true
}

extension Store {
    /// Events whose rows one read transaction goes through, about: some tenths of a second, for which the WAL
    /// cannot begin anew.
    private static let attributesAtOnce = 1 << 14
    /// Bytes of blocks that one transaction of the writer takes.
    private static let blockBytesPerStep = 1 << 18

    /// Makes blocks of attributes for segments that have none, from rows, and has the writer store them between two
    /// of its groups. What keeps it from its end leaves the rest to the next time: rows tell until then.
    /// - Parameters:
    ///   - connection: for reading, nobody else's meanwhile
    ///   - refused: segments that cannot have one, since they are not what was written; `verify` tells
    ///   - goesOn: is asked every few milliseconds
    package func makeAttributeBlocks(
        on connection: Connection, leavingOut refused: inout Set<AttributeBlocks.Missing>,
        while goesOn: () -> Bool
    ) throws(StorageError) -> MadeAttributes {
        var outcome = MadeAttributes()
        let missing = try connection.snapshot { () throws(StorageError) in
            try AttributeBlocks.missing(connection)
        }
        var rest = missing.filter { !refused.contains($0) }[...]
        while !rest.isEmpty {
            guard goesOn() else {
                outcome.isWhole = false
                return outcome
            }
            let (made, failed, count) = try connection.snapshot { () throws(StorageError) in
                var maker = try AttributeBlockMaker(connection)
                var count = 0
                for segment in rest {
                    if maker.count >= Self.attributesAtOnce { break }
                    try maker.add(segment)
                    count += 1
                }
                let made = try maker.blocks(while: goesOn)
                return (made, maker.refused, count)
            }
            guard let made else {
                outcome.isWhole = false
                return outcome
            }
            refused.formUnion(failed)
            rest = rest.dropFirst(count)
            try store(made)
            outcome.segments += made.count
        }
        return outcome
    }

    private func store(_ made: [AttributeBlocks.Made]) throws(StorageError) {
        var rest = made[...]
        while !rest.isEmpty {
            var bytes = 0
            let some = rest.prefix { block in
                defer { bytes += block.columns.count }
                return bytes < Self.blockBytesPerStep
            }
            rest = rest.dropFirst(some.count)
            try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in
                    try AttributeBlocks.insert(some, connection)
                }
            }
        }
    }
}
