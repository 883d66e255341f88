import FuzzSupport

/// Octets, and behind them four for the choices: which way they go, a number, and the record size.
/// Ways: 0 a body as it is, 1 content that is sealed, and changed at the place of the number, 2
/// records with their padding and delimiters as they are, under a good seal.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var draw = Draw(start, count)
    let flags = draw.octet()
    let number = draw.number()
    let size = 18 + Int(draw.octet())
    let octets = draw.rest
    switch flags & 3 {
    case 0: Bodies.check(octets)
    case 1: Seals.check(octets, recordSize: size, number, flags)
    default: Records.check(octets, recordSize: size)
    }
    return 0
}
