import Events

/// The position of a line of an export: by time, `batch_id`, index, device. As text it is the
/// line's `cursor`: `time~index~device~batch_id`.
package struct ExportPosition: Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let time: Int64
    /// The event's index in its batch as sent, below 8,192.
    package let index: Int64
    /// The device that sent the event.
    package let device: DeviceHash
    /// The bytes of the batch's id.
    package let batchID: ByteText

    /// The position of an event.
    package init(time: Int64, index: Int64, device: DeviceHash, batchID: ByteText) {
        self.time = time
        self.index = index
        self.device = device
        self.batchID = batchID
    }

    /// Parses the text of a cursor; nil where it is not one.
    package init?(parsing text: [UInt8]) {
        // A batch id has no `~`: a further one stays in the last field, which is then refused.
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

    /// The text of its cursor.
    package var text: [UInt8] {
        Array("\(time)~\(index)~\(device.hex)~".utf8) + batchID.bytes
    }

    /// Parses an integer within ±(2^53−1) in its shortest form.
    private static func integer(_ text: ArraySlice<UInt8>) -> Int64? {
        guard let value = Int64(String(decoding: text, as: UTF8.self)),
            value.magnitude <= 9_007_199_254_740_991, Array(String(value).utf8) == Array(text)
        else { return nil }
        return value
    }

    /// Whether a text may be a batch id (docs/protocol.md, The batch). An id made from the body's
    /// hash has 71 characters.
    private static func isBatchID(_ text: ArraySlice<UInt8>) -> Bool {
        (1...71).contains(text.count) && BatchLimit.allowsInBatchID(text.span)
    }
}
