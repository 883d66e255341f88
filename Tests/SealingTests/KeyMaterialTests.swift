import TestSupport
import Testing

@testable import Sealing

@Suite("key material") struct KeyMaterialTests {
    private func imported(
        _ text: String, as kind: KeyMaterial.Kind
    ) throws(KeyMaterialError) -> KeyMaterial {
        try KeyMaterial.imported(Array(text.utf8).span, as: kind)
    }

    private func refusal(_ text: String, as kind: KeyMaterial.Kind) -> KeyMaterialError? {
        do throws(KeyMaterialError) {
            _ = try imported(text, as: kind)
            return nil
        } catch { return error }
    }

    @Test(
        "made keys have their size, and no two are alike",
        arguments: [
            (KeyMaterial.Kind.aes128gcm, 32), (.legacy, 16),
        ])
    func made(kind: KeyMaterial.Kind, count: Int) throws {
        let key = KeyMaterial.make(kind)
        #expect(key.stored.count == count)
        #expect(key.stored != KeyMaterial.make(kind).stored)
        #expect(try KeyMaterial(stored: key.stored.span, as: kind).stored == key.stored)
        #expect(throws: KeyMaterialError.self) {
            try KeyMaterial(stored: key.stored.span.extracting(first: 15), as: kind)
        }
    }

    @Test(
        "made pairs are stored and read again",
        arguments: [
            (KeyMaterial.Kind.jwe(nil), KeyAlgorithm.ecdhES), (.jwe(.ecdhES), .ecdhES),
            (.jwe(.rsaOAEP256), .rsaOAEP256),
        ])
    func madePair(kind: KeyMaterial.Kind, algorithm: KeyAlgorithm) throws {
        let stored = KeyMaterial.make(kind).stored
        guard case .pair(let key) = try KeyMaterial(stored: stored.span, as: kind) else {
            Issue.record("a pair came back as something else")
            return
        }
        #expect(key.algorithm == algorithm)
        #expect(key.pkcs8 == stored)
        #expect(throws: KeyMaterialError.damaged) {
            try PrivateKey(pkcs8: (stored + [0]).span)
        }
        #expect(throws: KeyMaterialError.damaged) {
            try PrivateKey(pkcs8: stored.span.extracting(first: stored.count - 1))
        }
    }

    @Test("hex is read in either case, with white space around it")
    func hexText() throws {
        let digits = "000102030405060708090a0b0c0d0E0F"
        for text in [digits, digits + "\n", " \t\r\n" + digits + "\r\n\n"] {
            #expect(try imported(text, as: .legacy).stored == Array(0..<16))
        }
        #expect(refusal(digits, as: .aes128gcm) == .wrongLength(bytes: 16, wanted: 32))
        #expect(refusal(digits + digits, as: .legacy) == .wrongLength(bytes: 32, wanted: 16))
        #expect(try imported(digits + digits, as: .aes128gcm).stored.count == 32)
        #expect(refusal("", as: .legacy) == .wrongLength(bytes: 0, wanted: 16))
        #expect(refusal(digits + "0", as: .legacy) == .notDigits)
        #expect(refusal("0x" + digits, as: .legacy) == .notDigits)
        #expect(refusal("00 01" + digits.dropFirst(5), as: .legacy) == .notDigits)
        #expect(refusal(PublishedKeys.agreeing, as: .legacy) == .notDigits)
    }

    @Test("base64url is read as it was shown", arguments: [KeyMaterial.Kind.aes128gcm, .legacy])
    func base64(kind: KeyMaterial.Kind) throws {
        let made = KeyMaterial.make(kind).stored
        let text = Base64URL.encode(made.span)
        #expect(try imported(" " + text + "\n", as: kind).stored == made)
        #expect(refusal(text.dropLast() + "=", as: kind) == .notDigits)
        #expect(refusal(text + "A", as: kind) == .notDigits)
        #expect(refusal(String(text.dropLast(3)) + "-_-", as: kind) == .notDigits)
        let other = kind == .legacy ? KeyMaterial.Kind.aes128gcm : .legacy
        #expect(
            refusal(text, as: other)
                == .wrongLength(bytes: made.count, wanted: other.bytes ?? 0))
    }

    @Test("digits that are hex are taken as hex")
    func hexFirst() {
        #expect(
            refusal(String(repeating: "a", count: 22), as: .legacy)
                == .wrongLength(bytes: 11, wanted: 16))
    }

    @Test(
        "PKCS#8 PEM becomes a pair of the algorithm that its kind decides",
        arguments: [
            (PublishedKeys.agreeing, KeyAlgorithm.ecdhES), (PublishedKeys.wrapping, .rsaOAEP256),
        ])
    func pem(text: String, algorithm: KeyAlgorithm) throws {
        for kind in [KeyMaterial.Kind.jwe(nil), .jwe(algorithm)] {
            guard case .pair(let key) = try imported("a comment\n" + text + "\n\n", as: kind) else {
                Issue.record("PEM came back as something else")
                return
            }
            #expect(key.algorithm == algorithm)
        }
        let other = KeyAlgorithm.allCases.first { $0 != algorithm } ?? algorithm
        #expect(
            refusal(text, as: .jwe(other)) == .wrongAlgorithm(is: algorithm, wanted: other))
    }

    @Test(
        "other PEM is refused, and says why",
        arguments: [
            (Vectors.bobEncrypted, KeyMaterialError.encrypted),
            (Vectors.bobTraditional, .notPKCS8(label: "EC PRIVATE KEY")),
            (Vectors.bobSPKI, .notPKCS8(label: "PUBLIC KEY")),
            (Vectors.otherCurvePEM, .unsupportedCurve),
            (Vectors.bitcoinCurvePEM, .unsupportedCurve),
            (Vectors.edwardsPEM, .unsupportedKey),
            (Vectors.shortPEM, .tooShort(bits: 1024)),
            (LongKeys.tooLong, .tooLong(bits: 4098)),
            ("", .notPEM), ("00ff", .notPEM),
            (String(PublishedKeys.agreeing.dropLast(30)), .notPEM),
            ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", .damaged),
            (
                PublishedKeys.agreeing.replacing(
                    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEH",
                    with: "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEG"),
                .damaged
            ),
            // The public half of another key.
            (PublishedKeys.agreeing.replacing("VEmDZpDX", with: "VEmDZpDY"), .damaged),
        ])
    func otherPEM(text: String, error: KeyMaterialError) {
        #expect(refusal(text, as: .jwe(nil)) == error)
        #expect(!error.description.isEmpty)
    }

    @Test("an RSA key of 4096 bits is imported; a longer one that is stored goes on working")
    func longKeys() throws {
        guard case .pair(let longest) = try imported(LongKeys.longest, as: .jwe(.rsaOAEP256))
        else { return #expect(Bool(false), "PEM came back as something else") }
        #expect(longest.bits == 4096)
        let stored = try PrivateKey(pem: Array(LongKeys.tooLong.utf8).span).pkcs8
        guard case .pair(let key) = try KeyMaterial(stored: stored.span, as: .jwe(nil))
        else { return #expect(Bool(false), "a pair came back as something else") }
        let sealed = JWE.seal([UInt8](1...3).span, keyID: "k", key: key.publicKey)
        var scratch = [UInt8]()
        let header = try JWE.Header.parse(sealed.span)
        #expect(try JWE().open(sealed.span, header: header, key: key, into: &scratch) == 3)
    }

    @Test(
        "the public JWK is the published one",
        arguments: [
            (
                PublishedKeys.agreeing,
                """
                {"kty":"EC","crv":"P-256","x":"weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",\
                "y":"e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck","kid":"k","use":"enc","alg":"ECDH-ES"}
                """
            ),
            (
                PublishedKeys.wrapping,
                """
                {"kty":"RSA","n":"oahUIoWw0K0usKNuOR6H4wkf4oBUXHTxRvgb48E-BVvxkeDNjbC4he8rUWcJoZmds2h7M70\
                imEVhRU5djINXtqllXI4DFqcI1DgjT9LewND8MW2Krf3Spsk_ZkoFnilakGygTwpZ3uesH-PFABNIUYpOiN15ds\
                QRkgr0vEhxN92i2asbOenSZeyaxziK72UwxrrKoExv6kc5twXTq4h-QChLOln0_mtUZwfsRaMStPs6mS6XrgxnxbW\
                hojf663tuEQueGC-FCMfra36C9knDFGzKsNa7LZK2djYgyD3JR_MB_4NUJW_TqOQtwHYbxevoJArm-L5StowjzGy-\
                _bq6Gw","e":"AQAB","kid":"k","use":"enc","alg":"RSA-OAEP-256"}
                """
            ),
        ])
    func jwk(pem: String, text: String) throws {
        let key = try PrivateKey(pem: Array(pem.utf8).span)
        #expect(key.publicKey.jwkText(keyID: "k") == text)
        let again = try PublicKey(text: Array(("\n " + text).utf8).span)
        #expect(again.algorithm == key.algorithm)
        #expect(again.jwkText(keyID: "k") == text)
        let plain: [UInt8] = [1, 2, 3]
        let sealed = JWE.seal(plain.span, keyID: "k", key: again)
        var scratch = [UInt8]()
        let header = try JWE.Header.parse(sealed.span)
        #expect(try JWE().open(sealed.span, header: header, key: key, into: &scratch) == 3)
    }

    @Test(
        "a client reads SPKI PEM too",
        arguments: [
            (Vectors.bobSPKI, KeyAlgorithm.ecdhES), (Vectors.rsaSPKI, .rsaOAEP256),
        ])
    func spki(text: String, algorithm: KeyAlgorithm) throws {
        let key = try PublicKey(text: Array(text.utf8).span)
        #expect(key.algorithm == algorithm)
        let pem = algorithm == .ecdhES ? PublishedKeys.agreeing : PublishedKeys.wrapping
        let pair = try PrivateKey(pem: Array(pem.utf8).span)
        #expect(key.jwkText(keyID: "") == pair.publicKey.jwkText(keyID: ""))
    }

    @Test(
        "public keys that cannot be sealed with are refused",
        arguments: [
            "", "{", "{}", "[]", PublishedKeys.agreeing, #"{"kty":"oct","k":"AAAA"}"#,
            #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#,
            #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#,
            """
            {"kty":"EC","crv":"P-256","x":"weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",\
            "y":"weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ"}
            """,
            #"{"kty":"RSA","n":"","e":"AQAB"}"#, #"{"kty":"RSA","n":"oahUIoWw0K0","e":"AQAB"}"#,
        ])
    func badPublicKeys(text: String) {
        #expect(throws: KeyMaterialError.self) { try PublicKey(text: Array(text.utf8).span) }
    }
}
