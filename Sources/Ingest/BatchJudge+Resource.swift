import Events
import JSON
import Sealing

/// The batch's `resource`.
extension BatchJudge {
    /// All members up to the end of the object.
    mutating func readResource(_ bytes: Span<UInt8>) throws(Malformed) {
        var installation: Token?
        var device: Token?
        while let name = try scanner.member(bytes) {
            let member = BatchJudge.index(of: name, in: resourceNames, bytes, &scratch)
            let token = try scanner.value(bytes)
            switch member {
            case Resource.members.count: installation = token
            case Resource.members.count + 1: device = token
            case 0...: readText(token, member, bytes)
            default: break
            }
            try scanner.skipRest(of: token, bytes)
        }
        // Where the first is there it alone counts.
        readDeviceID(installation ?? device, bytes)
    }

    private mutating func readText(_ token: Token, _ member: Int, _ bytes: Span<UInt8>) {
        guard let text = token.text, text.count <= BatchLimit.resourceMember * 6 else {
            return breakRule(.resourceMember)
        }
        let count = text.unescape(bytes, into: &scratch)
        guard count <= BatchLimit.resourceMember else { return breakRule(.resourceMember) }
        judged.resource[member] = String(decoding: scratch[..<count], as: UTF8.self)
    }

    private mutating func readDeviceID(_ token: Token?, _ bytes: Span<UInt8>) {
        guard let text = token?.text, text.count <= BatchLimit.deviceID * 6 else {
            return breakRule(.deviceID)
        }
        let count = text.unescape(bytes, into: &scratch)
        guard (1...BatchLimit.deviceID).contains(count) else { return breakRule(.deviceID) }
        judged.rawDeviceID = Array(scratch[..<count])
        scratch.overwrite(first: count)
    }
}
