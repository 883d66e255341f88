extension JWE {
    /// What stands in front of a JWE's secrets: the protected header, and where the five parts lie.
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

        /// Characters of a protected header as sent: no body may have the worker parse more.
        private static let longestProtected = 4096

        private static let known: Set<[UInt8]> = Set(
            ["alg", "enc", "kid", "zip", "epk", "apu", "apv", "typ", "cty"].map { Array($0.utf8) })

        /// Reads the header of a body, which it is checked against nothing secret.
        package static func parse(_ body: Span<UInt8>) throws(SealError) -> Header {
            try Header(body)
        }

        private init(_ body: Span<UInt8>) throws(SealError) {
            let dots = try Self.dots(in: body)
            guard dots.0 <= Self.longestProtected else { throw .undecodable }
            protected = 0..<dots.0
            encryptedKey = dots.0 + 1..<dots.1
            nonce = dots.1 + 1..<dots.2
            ciphertext = dots.2 + 1..<dots.3
            tag = dots.3 + 1..<body.count
            guard let text = Base64URL.decode(body.extracting(protected))
            else { throw .undecodable }
            let object = try JOSEObject(text.span)
            guard object.members.keys.allSatisfy(Self.known.contains),
                let algorithm = KeyAlgorithm.allCases.first(where: {
                    object.text("alg") == Array($0.rawValue.utf8)
                }),
                let encryption = ContentEncryption.allCases.first(where: {
                    object.text("enc") == Array($0.rawValue.utf8)
                }),
                let keyID = object.text("kid"),
                !object.has("zip") || object.text("zip") == Array("DEF".utf8),
                !object.has("typ") || object.text("typ") != nil,
                !object.has("cty") || object.text("cty") != nil
            else { throw .undecodable }
            self.algorithm = algorithm
            self.encryption = encryption
            self.keyID = keyID
            isCompressed = object.has("zip")
            partyU = try Self.optional("apu", of: object)
            partyV = try Self.optional("apv", of: object)
            if case .object(let epk) = object.members[Array("epk".utf8)] {
                ephemeral = try Self.point(of: epk)
            } else {
                guard !object.has("epk"), algorithm != .ecdhES else { throw .undecodable }
                ephemeral = []
            }
        }

        /// The point of an EC JWK (RFC 7518 §6.2.1): both coordinates in full. A private one is
        /// none.
        static func point(of jwk: JOSEObject) throws(SealError) -> [UInt8] {
            guard jwk.text("kty") == Array("EC".utf8),
                jwk.text("crv") == Array(KeyPair.curve.utf8), !jwk.has("d"),
                let x = jwk.octets("x"), x.count == 32, let y = jwk.octets("y"), y.count == 32
            else { throw .undecodable }
            return [4] + x + y
        }

        private static func optional(
            _ name: String, of object: JOSEObject
        ) throws(SealError) -> [UInt8] {
            guard object.has(name) else { return [] }
            guard let octets = object.octets(name) else { throw .undecodable }
            return octets
        }

        /// The four dots between the five parts.
        private static func dots(in body: Span<UInt8>) throws(SealError) -> (Int, Int, Int, Int) {
            var found = InlineArray<4, Int>(repeating: 0)
            var count = 0
            for place in body.indices where body[place] == UInt8(ascii: ".") {
                guard count < 4 else { throw .undecodable }
                found[count] = place
                count += 1
            }
            guard count == 4 else { throw .undecodable }
            return (found[0], found[1], found[2], found[3])
        }
    }
}
