import JSON

extension JWE {
    /// The protected header of a JWE, and the ranges of its five parts.
    package struct Header: Sendable {
        package let algorithm: KeyAlgorithm
        package let encryption: ContentEncryption
        /// `kid`, as UTF-8 and not as a `String`, for which some ids that differ are equal.
        package let keyID: [UInt8]
        /// Whether the content is raw deflate (`zip` is `DEF`).
        package let isCompressed: Bool

        /// `epk` as a point (4, x, y), not yet known to be on the curve; empty where there is none.
        let ephemeral: [UInt8]
        let partyU: [UInt8]
        let partyV: [UInt8]
        /// Ranges of the body, all of them base64url.
        let protected: Range<Int>
        let encryptedKey: Range<Int>
        let nonce: Range<Int>
        let ciphertext: Range<Int>
        let tag: Range<Int>

        /// Characters of a protected header as sent; a worker parses no longer one.
        private static let maxProtectedLength = 4096

        private static let known: Set<[UInt8]> = Set(
            ["alg", "enc", "kid", "zip", "epk", "apu", "apv", "typ", "cty"].map { Array($0.utf8) })

        /// Reads the header of a body; nothing secret is needed for that.
        package static func parse(_ body: Span<UInt8>) throws(SealError) -> Header {
            try Header(body)
        }

        private init(_ body: Span<UInt8>) throws(SealError) {
            let dots = try Self.dots(in: body)
            guard dots.0 <= Self.maxProtectedLength else { throw .undecodable }
            protected = 0..<dots.0
            encryptedKey = dots.0 + 1..<dots.1
            nonce = dots.1 + 1..<dots.2
            ciphertext = dots.2 + 1..<dots.3
            tag = dots.3 + 1..<body.count
            guard let text = Base64URL.decode(body.extracting(protected))
            else { throw .undecodable }
            // RFC 7515 §4 allows an escaped U+0000 in a header; only batches may not have it.
            guard let object = try? Tree(text.span, allowsZero: true), case .object = object,
                object.names.allSatisfy(Self.known.contains),
                let algorithm = KeyAlgorithm.allCases.first(where: {
                    object["alg"]?.text == Array($0.rawValue.utf8)
                }),
                let encryption = ContentEncryption.allCases.first(where: {
                    object["enc"]?.text == Array($0.rawValue.utf8)
                }),
                let keyID = object["kid"]?.text,
                object["zip"] == nil || object["zip"]?.text == Array("DEF".utf8),
                object["typ"] == nil || object["typ"]?.text != nil,
                object["cty"] == nil || object["cty"]?.text != nil
            else { throw .undecodable }
            self.algorithm = algorithm
            self.encryption = encryption
            self.keyID = keyID
            isCompressed = object["zip"] != nil
            partyU = try Self.optional("apu", of: object)
            partyV = try Self.optional("apv", of: object)
            if let epk = object["epk"] {
                ephemeral = try Self.point(of: epk)
            } else {
                guard algorithm != .ecdhES else { throw .undecodable }
                ephemeral = []
            }
        }

        /// The point of an EC JWK (RFC 7518 §6.2.1): both coordinates in full. A private one is
        /// none.
        static func point(of jwk: Tree) throws(SealError) -> [UInt8] {
            guard jwk["kty"]?.text == Array("EC".utf8),
                jwk["crv"]?.text == Array(KeyPair.curve.utf8), jwk["d"] == nil,
                let x = jwk.decoded("x"), x.count == 32, let y = jwk.decoded("y"), y.count == 32
            else { throw .undecodable }
            return [4] + x + y
        }

        private static func optional(
            _ name: String, of object: Tree
        ) throws(SealError) -> [UInt8] {
            guard object[name] != nil else { return [] }
            guard let bytes = object.decoded(name) else { throw .undecodable }
            return bytes
        }

        /// The four dots between the five parts.
        private static func dots(in body: Span<UInt8>) throws(SealError) -> (Int, Int, Int, Int) {
            var found = InlineArray<4, Int>(repeating: 0)
            var count = 0
            for index in body.indices where body[index] == UInt8(ascii: ".") {
                guard count < 4 else { throw .undecodable }
                found[count] = index
                count += 1
            }
            guard count == 4 else { throw .undecodable }
            return (found[0], found[1], found[2], found[3])
        }
    }
}

extension Tree {
    /// A member that is base64url, decoded.
    func decoded(_ name: String) -> [UInt8]? {
        self[name]?.text.flatMap { Base64URL.decode($0.span) }
    }
}

/// What encrypts a JWE's content (docs/protocol.md, jwe). The raw value is the `enc`.
package enum ContentEncryption: String, CaseIterable, Sendable {
    case a128GCM = "A128GCM"
    case a256GCM = "A256GCM"

    /// Bytes of the content key.
    package var keySize: Int { self == .a128GCM ? 16 : 32 }
}
