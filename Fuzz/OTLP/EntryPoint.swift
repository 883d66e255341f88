import FuzzSupport
import Ingest

/// Bytes, and after them three for the choices: the way they go, with the limit of events, and a
/// seed for encoders. Ways: 0 the bytes are a request in protobuf, 1 they are one in JSON, 2 one is
/// made of them and encoded in both, 3 one is made of them, and again with its records in another
/// order. A request of way 0 or 1 that the other encoding can say too is judged in that as well.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var draw = Draw(start, count)
    let flags = draw.octet()
    let seed = draw.number()
    let limit = Int(flags >> 2 & 3)
    let isNew = flags & 16 != 0
    switch flags & 3 {
    case 0: Requests.check(draw.rest, .protobuf, seed: seed, limit: limit, isNew: isNew)
    case 1: Requests.check(draw.rest, .json, seed: seed, limit: limit, isNew: isNew)
    case 2: Encodings.check(Drawing.message(draw), seed: seed, limit: limit, isNew: isNew)
    default: Orders.check(Drawing.message(draw), seed: seed, limit: limit)
    }
    return 0
}

/// Requests as they were sent, whatever they are.
enum Requests {
    static func check(
        _ bytes: [UInt8], _ encoding: LogsEncoding, seed: Int, limit: Int, isNew: Bool
    ) {
        PlainField.count = 0
        let message =
            encoding == .json ? Message(json: bytes) : Message(protobuf: bytes)
        let elements = encoding == .json ? Message.elements(json: bytes) : PlainField.count
        let outcome = Server.accept(bytes, encoding, limit: limit, isNew: isNew)
        Promises.check(outcome, message, encoding, limit: limit, size: bytes.count)
        if case .taken(let taken) = outcome {
            expect(taken.elements == elements, "\(taken.elements) elements, not \(elements)")
        }
        guard let message else { return }
        let other: LogsEncoding = encoding == .json ? .protobuf : .json
        guard other == .protobuf ? message.isNarrow : message.isText else { return }
        let again =
            other == .json
            ? JSONForm.encode(message, seed: seed) : ProtobufForm.encode(message, seed: seed)
        let read = other == .json ? Message(json: again) : Message(protobuf: again)
        // What is nested as deep as one allows may be too deep in the other.
        guard read != nil else { return }
        let copy = Server.accept(again, other, limit: limit)
        Promises.check(copy, message, other, limit: limit, size: again.count)
        Encodings.expectSame(outcome, copy)
    }
}
