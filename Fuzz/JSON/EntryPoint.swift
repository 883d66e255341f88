import Events
import FuzzSupport
import Ingest

/// A text, and behind it one octet for the choices: legacy batches, few events, other texts before
/// it in the same judge.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var draw = Draw(start, count)
    let flags = draw.octet()
    let text = draw.rest
    let value = PlainJSON.read(text)
    Texts.check(text, value)
    Batches.check(
        text, value,
        JudgeContext(
            profile: flags & 1 == 0 ? .plain : .legacy, arrival: Batches.arrival,
            maxEvents: flags & 2 == 0 ? 5000 : 2))
    return 0
}
