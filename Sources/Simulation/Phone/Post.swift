import Client
import JSON

/// A batch on its way to the server.
struct Post {
    /// Its text as the device has stamped it at the simulated moment.
    let text: [UInt8]
    /// Where in it the stamp begins.
    private let stamp: Int
    /// By how much the clock that stamped it is ahead, ms.
    let error: Int64
    /// What an older client names the device by, as `device.id`; nil for what the text says.
    let oldIdentity: String?
    let batchID: String
    /// Events in it.
    let events: Int
    /// Whether it has been posted before.
    let isRepeat: Bool

    /// What a client has stamped at a simulated moment (ms).
    init(
        _ text: [UInt8], of batch: Ledger.Frozen, at moment: Int64, oldIdentity: String?,
        isRepeat: Bool = false
    ) {
        self.text = text
        self.isRepeat = isRepeat
        batchID = batch.batchID
        events = Int(clamping: batch.events)
        self.oldIdentity = oldIdentity
        stamp = Self.end(of: Self.sentAt, in: text, from: 0) ?? text.count
        let digits = text[stamp...].prefix { $0 != UInt8(ascii: ",") }
        let sentAt = Int64(String(decoding: digits, as: UTF8.self)) ?? moment
        error = sentAt - moment
    }

    private static let sentAt = Array("\"sent_at\":".utf8)
    private static let identity = Array("\"resource\":{\"app.installation.id\":".utf8)

    /// The text as it is posted now, `now` being the real moment (ms) that stands for the simulated one.
    func stamped(_ now: Int64) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(text.count + 16)
        out += text[..<stamp]
        Writer.append(now + error, to: &out)
        var rest = text[stamp...].drop { $0 != UInt8(ascii: ",") }
        if let oldIdentity,
            let start = Self.end(of: Self.identity, in: text, from: rest.startIndex)
        {
            out += text[rest.startIndex..<start - Self.identity.count]
            out += "\"resource\":{\"device.id\":".utf8
            Writer.append(oldIdentity, to: &out)
            rest = text[start...].drop { $0 != UInt8(ascii: ",") }
        }
        out += rest
        return out
    }

    /// Where the first occurrence of a key ends. The client's own text has it before what an app says.
    private static func end(of key: [UInt8], in text: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + key.count <= text.count {
            if text[index] == key[0], text[index..<index + key.count].elementsEqual(key) {
                return index + key.count
            }
            index += 1
        }
        return nil
    }
}
