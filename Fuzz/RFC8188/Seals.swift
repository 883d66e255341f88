import FuzzSupport
import Sealing

/// What was sealed opens to itself; changed, cut or continued it does not open.
enum Seals {
    static func check(_ content: [UInt8], recordSize: Int, _ number: Int, _ flags: UInt8) {
        let keyID = Array("key".utf8)
        let salt = (0..<16).map { UInt8(truncatingIfNeeded: number &+ $0) }
        let body = ContentCoding.seal(
            content.span, keyID: keyID.span, secret: Bodies.secret.span, recordSize: recordSize,
            salt: salt)
        expect(Bodies.open(body) == content, "sealed and opened it is something else")
        if let range = try? ContentCoding.keyID(of: body.span) {
            expect(Array(body[range]) == keyID, "another key id")
        } else {
            expect(false, "a sealed body has no key id")
        }
        let place = number % body.count
        var changed = body
        changed[place] ^= 1 << (flags >> 2 & 7)
        switch place {
        // Neither is under the seal: the key id chooses the key, the record size only where records
        // end (RFC 8188 §2.1).
        case 16..<20, 21..<21 + keyID.count:
            let opened = Bodies.open(changed)
            expect(opened == nil || opened == content, "a header opens to something else")
        default: expect(Bodies.open(changed) == nil, "opens with octet \(place) changed")
        }
        expect(Bodies.open(Array(body[..<place])) == nil, "opens up to octet \(place)")
        expect(Bodies.open(body + [flags]) == nil, "opens with an octet behind it")
    }
}
