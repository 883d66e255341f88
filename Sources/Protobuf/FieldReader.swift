/// Reads the fields of one message of Protocol Buffers (protobuf.dev, Encoding) by pulling: each call goes on
/// where the one before stopped. Nothing is copied, nothing is kept; a length is checked before it is
/// believed. Groups are stepped over.
///
///     var fields = FieldReader(0..<bytes.count, depth: 1)
///     var count = FieldCount(limit: 1_000_000)
///     while let field = try fields.next(bytes, &count) {
///         if field.number == 1, field.kind == .bytes { … bytes.extracting(field.range) }
///     }
package struct FieldReader {
    /// How deep messages and groups may lie: the outermost is 1.
    package static let maxDepth = 100
    /// The greatest number of a field.
    private static let maxNumber: UInt64 = (1 << 29) - 1

    /// The offset of the next byte.
    private var position: Int
    private let end: Int
    /// How deep its message lies.
    package let depth: Int

    /// - Parameters:
    ///   - range: where the message stands
    ///   - depth: how deep it lies
    /// - Throws: `MalformedMessage` if that is too deep.
    package init(_ range: Range<Int>, depth: Int) throws(MalformedMessage) {
        guard depth <= FieldReader.maxDepth else { throw MalformedMessage() }
        position = range.lowerBound
        end = range.upperBound
        self.depth = depth
    }

    /// The next field; nil after the last.
    /// - Parameter count: it and all fields of groups that are stepped over are added
    @inline(__always)
    package mutating func next(
        _ bytes: Span<UInt8>, _ count: inout FieldCount
    ) throws(MalformedMessage) -> Field? {
        while position < end {
            try count.add()
            let tag = try varint(bytes)
            let number = tag >> 3
            guard number > 0, number <= FieldReader.maxNumber else { throw MalformedMessage() }
            let field = UInt32(truncatingIfNeeded: number)
            switch tag & 7 {
            case 0: return Field(number: field, kind: .varint, bits: try varint(bytes))
            case 1: return Field(number: field, kind: .fixed64, bits: try fixed(8, bytes))
            case 2:
                let length = try varint(bytes)
                guard length <= UInt64(end &- position) else { throw MalformedMessage() }
                let start = position
                position = start &+ Int(truncatingIfNeeded: length)
                return Field(number: field, kind: .bytes, start: start, end: position)
            case 3: try skipGroup(field, depth: depth + 1, bytes, &count)
            case 5: return Field(number: field, kind: .fixed32, bits: try fixed(4, bytes))
            default: throw MalformedMessage()
            }
        }
        return nil
    }

    /// Up to ten bytes, longer than needed too; what is beyond 64 bits is dropped.
    @inline(__always)
    private mutating func varint(_ bytes: Span<UInt8>) throws(MalformedMessage) -> UInt64 {
        guard position < end else { throw MalformedMessage() }
        let first = bytes[position]
        position &+= 1
        return first < 0x80 ? UInt64(first) : try longVarint(first, bytes)
    }

    @inline(never)
    private mutating func longVarint(
        _ first: UInt8, _ bytes: Span<UInt8>
    ) throws(MalformedMessage) -> UInt64 {
        var value = UInt64(first & 0x7f)
        var shift: UInt64 = 7
        while shift < 70 {
            guard position < end else { throw MalformedMessage() }
            let byte = bytes[position]
            position &+= 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw MalformedMessage()
    }

    /// So many bytes, the lowest first.
    @inline(__always)
    private mutating func fixed(
        _ count: Int, _ bytes: Span<UInt8>
    ) throws(MalformedMessage) -> UInt64 {
        guard end &- position >= count else { throw MalformedMessage() }
        var value: UInt64 = 0
        for index in 0..<count {
            value |= UInt64(bytes[position &+ index]) &<< UInt64(truncatingIfNeeded: 8 &* index)
        }
        position &+= count
        return value
    }

    /// Steps over what is left of a group, whatever is in it.
    private mutating func skipGroup(
        _ group: UInt32, depth: Int, _ bytes: Span<UInt8>, _ count: inout FieldCount
    ) throws(MalformedMessage) {
        guard depth <= FieldReader.maxDepth else { throw MalformedMessage() }
        while true {
            let tag = try varint(bytes)
            let number = tag >> 3
            guard number > 0, number <= FieldReader.maxNumber else { throw MalformedMessage() }
            if tag & 7 != 4 { try count.add() }
            switch tag & 7 {
            case 0: _ = try varint(bytes)
            case 1: _ = try fixed(8, bytes)
            case 2:
                let length = try varint(bytes)
                guard length <= UInt64(end &- position) else { throw MalformedMessage() }
                position += Int(length)
            case 3: try skipGroup(UInt32(number), depth: depth + 1, bytes, &count)
            case 4:
                guard number == UInt64(group) else { throw MalformedMessage() }
                return
            case 5: _ = try fixed(4, bytes)
            default: throw MalformedMessage()
            }
        }
    }
}
