/// Protocol Buffers written by hand (protobuf.dev, Encoding), malformed ones too, so that no library
/// hides an error.
package enum Wire {
    /// - Parameter width: bytes, more than needed if wished; nil: as many as needed
    package static func varint(_ value: UInt64, width: Int? = nil) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest >= 0x80 || bytes.count + 1 < width ?? 1 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(truncatingIfNeeded: rest)]
    }

    package static func tag(_ field: UInt64, _ type: UInt64) -> [UInt8] {
        varint(field << 3 | type)
    }

    package static func number(_ field: UInt64, _ value: UInt64) -> [UInt8] {
        tag(field, 0) + varint(value)
    }

    package static func fixed64(_ field: UInt64, _ value: UInt64) -> [UInt8] {
        tag(field, 1) + (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    package static func fixed32(_ field: UInt64, _ value: UInt32) -> [UInt8] {
        tag(field, 5) + (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Bytes or a message.
    package static func bytes(_ field: UInt64, _ content: [UInt8]) -> [UInt8] {
        tag(field, 2) + varint(UInt64(content.count)) + content
    }

    package static func text(_ field: UInt64, _ text: String) -> [UInt8] {
        bytes(field, Array(text.utf8))
    }

    package static func group(_ field: UInt64, _ content: [UInt8]) -> [UInt8] {
        tag(field, 3) + content + tag(field, 4)
    }
}
