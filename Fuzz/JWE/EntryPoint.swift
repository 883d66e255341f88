import FuzzSupport

/// Octets, and behind them three for the choices: which way they go, and a number. Ways: 0 a body as
/// it is, 1 the JSON of a header in a body that is otherwise well formed, 2 content that is sealed,
/// and changed at the place of the number.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var draw = Draw(start, count)
    let flags = draw.octet()
    let number = draw.number()
    let octets = draw.rest
    switch flags & 3 {
    case 0: Bodies.check(octets)
    case 1: Headers.check(octets, number)
    default: Seals.check(octets, number, flags)
    }
    return 0
}
