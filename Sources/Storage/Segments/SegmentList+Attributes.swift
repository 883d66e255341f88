import Columns
import Database

/// Columns of attributes that are there without a look at rows of events.
extension SegmentList {
    /// Of the events of a name in a segment, what they have for some attributes, as far as memory or the block
    /// beside the segment tells. Throws what the database throws, and `damaged`.
    func known(
        _ keys: [AttributeKey], _ name: Int64, _ index: Int
    ) throws(StorageError) -> [AttributeColumn]? {
        if let kept = remembered(keys, name, index) { return kept }
        guard let identity = identity(of: index) else { return nil }
        comeToBlock(index)
        let block = try asking { (file) throws(StorageError) in
            try file.block(of: identity).map { (bytes) throws(StorageError) in
                (bytes: bytes, heads: try read(index, [], file))
            }
        }
        guard let block else { return nil }
        switch try columns(keys, name, in: block.bytes, of: block.heads) {
        case .columns(let columns):
            remember(columns, keys, name, index)
            return columns
        case .noAttributes:
            return try withoutAttributes(keys, name, of: read(index, .names))
        case .unknown: return nil
        }
    }

    /// The same for who asks already.
    func known(
        _ keys: [AttributeKey], _ name: Int64, _ index: Int, _ file: borrowing File
    ) throws(StorageError) -> [AttributeColumn]? {
        if let kept = remembered(keys, name, index) { return kept }
        guard let identity = identity(of: index), let bytes = try file.block(of: identity)
        else { return nil }
        switch try columns(keys, name, in: bytes, of: read(index, [], file)) {
        case .columns(let columns):
            remember(columns, keys, name, index)
            return columns
        case .noAttributes:
            return try withoutAttributes(keys, name, of: read(index, .names, file))
        case .unknown: return nil
        }
    }

    /// Keeps columns of attributes in memory.
    func remember(
        _ columns: [AttributeColumn], _ keys: [AttributeKey], _ name: Int64, _ index: Int
    ) {
        guard let identity = identity(of: index) else { return }
        for (key, column) in zip(keys, columns) {
            tails.attributes.put(
                column, AttributeCache.Key(segment: identity, name: name, attribute: key))
        }
    }

    private func remembered(
        _ keys: [AttributeKey], _ name: Int64, _ index: Int
    ) -> [AttributeColumn]? {
        guard let identity = identity(of: index) else { return nil }
        var columns: [AttributeColumn] = []
        for key in keys {
            let key = AttributeCache.Key(segment: identity, name: name, attribute: key)
            guard let column = tails.attributes.column(key) else { return nil }
            columns.append(column)
        }
        return columns
    }

    private func columns(
        _ keys: [AttributeKey], _ name: Int64, in block: [UInt8], of heads: SegmentReader.Packed
    ) throws(StorageError) -> AttributeBlock.Found {
        do throws(AttributeBlock.Damage) {
            var block = try AttributeBlock(block, parts: heads.partCount)
            return try block.columns(keys, ofName: name)
        } catch {
            throw damage
        }
    }

    /// Of events of which none has any attribute.
    private func withoutAttributes(
        _ keys: [AttributeKey], _ name: Int64, of packed: SegmentReader.Packed
    ) throws(StorageError) -> [AttributeColumn] {
        var events = AttributeTarget(packed, name: name, keys: keys.count)
        guard !events.isBroken, let columns = events.columns() else { throw damage }
        return columns
    }
}
