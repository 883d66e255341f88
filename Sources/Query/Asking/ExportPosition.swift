import Events

/// Where a line of an export stands: by time, `batch_id`, index, device. As text it is the line's
/// `cursor`: `time~index~device~batch_id`.
package struct ExportPosition: Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let time: Int64
    /// Place in its batch as sent, below 8,192.
    package let index: Int64
    /// Whose event it is.
    package let device: DeviceHash
    /// Octets of the batch's id.
    package let batchID: ByteText

    /// A place between lines.
    package init(time: Int64, index: Int64, device: DeviceHash, batchID: ByteText) {
        self.time = time
        self.index = index
        self.device = device
        self.batchID = batchID
    }

    /// A cursor's text; nothing where it is none.
    package init?(parsing text: [UInt8]) {
        // A batch id has no `~`; were there one, it would be part of the last field and refused.
        let fields = text.split(
            separator: UInt8(ascii: "~"), maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4, let time = Self.integer(fields[0]),
            let index = Self.integer(fields[1]), (0..<8192).contains(index),
            let device = DeviceHash(hex: String(decoding: fields[2], as: UTF8.self)),
            Array(device.hex.utf8) == Array(fields[2]), Self.isBatchID(fields[3])
        else { return nil }
        self.init(
            time: time, index: index, device: device, batchID: ByteText(bytes: Array(fields[3])))
    }

    /// Its cursor.
    package var text: [UInt8] {
        Array("\(time)~\(index)~\(device.hex)~".utf8) + batchID.bytes
    }

    /// The one form of an integer within ±(2^53−1).
    private static func integer(_ text: ArraySlice<UInt8>) -> Int64? {
        guard let value = Int64(String(decoding: text, as: UTF8.self)),
            value.magnitude <= 9_007_199_254_740_991, Array(String(value).utf8) == Array(text)
        else { return nil }
        return value
    }

    /// Docs/protocol.md, The batch; one made from the body's hash has 71 characters.
    private static func isBatchID(_ text: ArraySlice<UInt8>) -> Bool {
        (1...71).contains(text.count) && BatchLimit.allowsInBatchID(text.span)
    }
}
