import FuzzSupport

/// A body, and behind it three octets for the choices: which way it goes, and the limit. Ways: 0 a
/// raw deflate stream, 1 a gzip member, 2 a stream in a member whose trailer is made to fit, 3 content
/// that is compressed first.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var draw = Draw(start, count)
    let flags = draw.octet()
    let limit = draw.number()
    let body = draw.rest
    switch flags & 3 {
    case 0: _ = Inflation.agreed(body, .raw, limit: limit)
    case 1: _ = Inflation.agreed(body, .gzip, limit: limit)
    case 2: Members.check(stream: body, limit: limit, flags: flags)
    default: RoundTrips.check(content: body, level: Int(flags >> 2) % 10, limit: limit)
    }
    return 0
}
