import Events
import Sealing
import Storage

/// That a device was erased, and when: a line of the file `erased`. It tells nothing about the device
/// to who does not know its hash, and knows it again in an older copy of the database
/// (docs/operation.md, One device).
package struct ErasureReceipt: Hashable, Sendable {
    /// SHA-256 over the app's name, a zero octet and the 16 octets of the device's hash.
    package let subject: Digest256
    /// What arrived before is erased; milliseconds since 1970-01-01T00:00:00Z.
    package let moment: Int64

    /// A receipt as it stands in a file.
    package init(subject: Digest256, moment: Int64) {
        self.subject = subject
        self.moment = moment
    }

    /// The receipt of an erasure.
    package init(app: String, device: DeviceHash, moment: Int64) {
        self.init(subject: Self.subject(app: app, device: device.bytes), moment: moment)
    }

    /// What a receipt calls the device with this hash.
    static func subject(app: String, device: [UInt8]) -> Digest256 {
        Hashing.sha256((Array(app.utf8) + [0] + device).span)
    }

    /// 64 lower-case hexadecimal digits, a space, the moment; nil where it is anything else.
    package init?(line: some StringProtocol) {
        let fields = line.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard fields.count == 2, fields[0].count == 64,
            let octets = Hex.decode(Array(fields[0]).span),
            let subject = Digest256(bytes: octets.span),
            let moment = Int64(String(decoding: fields[1], as: UTF8.self))
        else { return nil }
        self.init(subject: subject, moment: moment)
        guard self.line == String(line) else { return nil }
    }

    /// Its line, without the end of one.
    package var line: String { "\(subject.hex) \(moment)" }
}
