import COpenSSL
import JSON

extension PublicKey {
    /// One member of a JWK; all that are written here are texts that need no escapes.
    package typealias JWKMember = (name: String, value: String)

    /// The key as members of a JWK, in the order they are to be written (RFC 7517 §4, RFC 7518 §6).
    ///
    /// - Parameter keyID: `[A-Za-z0-9_-]{1,32}`, becomes `kid`.
    package func jwk(keyID: String) -> [JWKMember] {
        switch algorithm {
        case .ecdhES:
            let point = point
            return [
                ("kty", "EC"), ("crv", KeyPair.curve),
                ("x", Base64URL.encode(point.span.extracting(1..<33))),
                ("y", Base64URL.encode(point.span.extracting(33..<65))),
                ("kid", keyID), ("use", "enc"), ("alg", algorithm.rawValue),
            ]
        case .rsaOAEP256:
            return [
                ("kty", "RSA"), ("n", number(OSSL_PKEY_PARAM_RSA_N)),
                ("e", number(OSSL_PKEY_PARAM_RSA_E)),
                ("kid", keyID), ("use", "enc"), ("alg", algorithm.rawValue),
            ]
        }
    }

    /// The same as one line of JSON.
    package func jwkText(keyID: String) -> String {
        let members = jwk(keyID: keyID).map { "\"\($0.name)\":\"\($0.value)\"" }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// Reads a public JWK; members it does not know are ignored (RFC 7517 §4).
    package convenience init(jwk text: Span<UInt8>) throws(KeyMaterialError) {
        guard let object = try? Tree(text, allowsZero: true), case .object = object else {
            throw .damaged
        }
        switch object["kty"]?.text {
        case Array("EC".utf8):
            guard object["crv"]?.text == Array(KeyPair.curve.utf8) else { throw .unsupportedCurve }
            guard let point = try? JWE.Header.point(of: object) else { throw .damaged }
            try self.init(taking: KeyPair.publicKey(point: point.span))
        case Array("RSA".utf8):
            guard let modulus = object.decoded("n"), let exponent = object.decoded("e")
            else { throw .damaged }
            try self.init(taking: Self.rsa(modulus: modulus, exponent: exponent))
        default: throw .unsupportedKey
        }
    }

    /// The point of an EC key: 4, x and y (SEC 1 §2.3.3).
    var point: [UInt8] {
        let x = KeyPair.number(OSSL_PKEY_PARAM_EC_PUB_X, of: handle, size: 32)
        let y = KeyPair.number(OSSL_PKEY_PARAM_EC_PUB_Y, of: handle, size: 32)
        guard let x, let y else { preconditionFailure("an EC key has a point") }
        return [4] + x + y
    }

    private func number(_ name: String) -> String {
        guard let bytes = KeyPair.number(name, of: handle) else {
            preconditionFailure("an RSA key has a modulus and an exponent")
        }
        return Base64URL.encode(bytes.span)
    }

    private static func rsa(modulus: [UInt8], exponent: [UInt8]) -> OpaquePointer? {
        guard !modulus.isEmpty, !exponent.isEmpty else { return nil }
        let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
        defer { EVP_PKEY_CTX_free(context) }
        // Parameters hold numbers in the machine's order.
        var n = [UInt8](modulus.reversed())
        var e = [UInt8](exponent.reversed())
        var made: OpaquePointer?
        // Parameters keep their name as a pointer.
        OSSL_PKEY_PARAM_RSA_N.withCString { nName in
            OSSL_PKEY_PARAM_RSA_E.withCString { eName in
                n.withUnsafeMutableBufferPointer { n in
                    e.withUnsafeMutableBufferPointer { e in
                        var parameters = [
                            OSSL_PARAM_construct_BN(nName, n.baseAddress, n.count),
                            OSSL_PARAM_construct_BN(eName, e.baseAddress, e.count),
                            OSSL_PARAM_construct_end(),
                        ]
                        guard EVP_PKEY_fromdata_init(context) == 1 else { return }
                        _ = EVP_PKEY_fromdata(
                            context, &made, Int32(COpenSSL_publicKeySelection), &parameters)
                    }
                }
            }
        }
        return made
    }
}
