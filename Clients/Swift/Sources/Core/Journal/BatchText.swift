import JSON

/// The JSON of a batch (wire.md §2). For one batch it is always the same but for `sent_at`.
package enum BatchText {
    /// - Parameters:
    ///   - resource: The JSON object of the segment's first line, which has a member.
    ///   - events: The events' JSON, as ranges of `bytes`.
    ///   - sentAt: Milliseconds since 1970.
    package static func make(
        _ batch: Ledger.Frozen, installation: String, resource: ArraySlice<UInt8>,
        bytes: [UInt8], events: [Range<Int>], sentAt: Int64
    ) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(events.reduce(1024 + resource.count) { $0 + $1.count + 1 })
        out += "{\"schema\":1,\"batch_id\":".utf8
        Writer.append(batch.batchID, to: &out)
        out += ",\"sent_at\":".utf8
        Writer.append(sentAt, to: &out)
        out += ",\"sequence\":".utf8
        Writer.append(batch.sequence, to: &out)
        out += ",\"dropped_events\":".utf8
        Writer.append(batch.dropped, to: &out)
        out += ",\"resource\":{\"app.installation.id\":".utf8
        Writer.append(installation, to: &out)
        out.append(UInt8(ascii: ","))
        out += resource.dropFirst()
        out += ",\"events\":[".utf8
        for (index, range) in events.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            out += bytes[range]
        }
        out += "]}".utf8
        return out
    }
}
