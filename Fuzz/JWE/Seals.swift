import FuzzSupport
import Sealing

/// What was sealed is parsed and opens to itself; changed, cut or continued it does not open.
enum Seals {
    static func check(_ content: [UInt8], _ number: Int, _ flags: UInt8) {
        // RSA costs a hundred times as much.
        let algorithm = flags >> 2 & 15 == 15 ? KeyAlgorithm.rsaOAEP256 : .ecdhES
        let encryption = flags & 64 == 0 ? ContentEncryption.a128GCM : .a256GCM
        let key = Keys.key(algorithm)
        let body = JWE.seal(
            content.span, keyID: "k-1", key: key.publicKey, encryption: encryption,
            isCompressed: flags & 128 != 0)
        guard let header = Bodies.header(body) else {
            return expect(false, "its header is refused")
        }
        expect(
            header.algorithm == algorithm && header.encryption == encryption
                && header.keyID == Array("k-1".utf8) && header.isCompressed == (flags & 128 != 0),
            "another header")
        expect(Bodies.open(body, header, key) == content, "sealed and opened it is something else")
        let other = Keys.key(algorithm == .ecdhES ? .rsaOAEP256 : .ecdhES)
        expect(Bodies.open(body, header, other) == nil, "opens with another key")
        let place = number % body.count
        var changed = body
        changed[place] = number & 1 == 0 ? changed[place] ^ 1 << (flags & 7) : flags
        if changed != body { expectClosed(changed, key, "with octet \(place) changed") }
        expectClosed(Array(body[..<place]), key, "up to octet \(place)")
        expectClosed(body + [flags], key, "with an octet behind it")
    }

    private static func expectClosed(_ body: [UInt8], _ key: PrivateKey, _ how: String) {
        guard let header = Bodies.header(body) else { return }
        expect(Bodies.open(body, header, key) == nil, "opens \(how)")
    }
}
