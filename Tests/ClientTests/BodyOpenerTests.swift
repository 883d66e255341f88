import Compression
import Foundation
import Sealing
import Testing

@testable import Client

/// `open` refuses what the server refuses, and names it (docs/operation.md, Looking into a sealed body).
@Suite("opening a body that is refused")
struct BodyOpenerTests {
    private static let text = Array(#"{"batch_id":"b","events":[]}"#.utf8)
    private static let hex32 = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    private static let hex16 = "000102030405060708090A0B0C0D0E0F"

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func pem(_ key: PrivateKey) -> String {
        let lines = Data(key.pkcs8).base64EncodedString(options: [
            .lineLength64Characters, .endLineWithLineFeed,
        ])
        return "-----BEGIN PRIVATE KEY-----\n\(lines)\n-----END PRIVATE KEY-----\n"
    }

    /// A secret file for a profile's key, and what opens what it seals.
    private func secrets(_ profile: SealProfile) -> (seals: String, opens: String) {
        switch profile {
        case .aes128gcm, .plain: return (Self.hex32, Self.hex32)
        case .legacy: return (Self.hex16, Self.hex16)
        case .jwe:
            let key = PrivateKey(making: .ecdhES)
            return (key.publicKey.jwkText(keyID: "k"), pem(key))
        }
    }

    private func failure(_ body: [UInt8], _ secret: String) -> String {
        do throws(SealerFailure) {
            _ = try BodyOpener.open(body, keyID: "k", secret: Array(secret.utf8))
            return "opened"
        } catch {
            return error.description
        }
    }

    @Test(
        "what follows a body is refused as by the server, and named",
        arguments: [SealProfile.aes128gcm, .jwe, .legacy])
    func following(profile: SealProfile) throws {
        let (seals, opens) = secrets(profile)
        let body = try Sealer(
            profile, app: "a", keyID: "k", secret: bytes(seals), token: "t"
        ).seal(Self.text)
        #expect(failure(body, opens) == "opened")
        for (extra, name) in [
            ("\n", "followed by a line feed;"),
            ("\r\n", "followed by a carriage return and a line feed;"),
            (" ", "followed by a byte of white space or zeros"),
            ("\0\0\n", "followed by 3 bytes of white space"),
            (String(repeating: "\0", count: 16), "followed by 16 bytes of white space"),
        ] {
            #expect(failure(body + Array(extra.utf8), opens).contains(name), "\(extra.utf8)")
        }
        for extra in ["x", "=", "==", "AAAA", String(repeating: "x", count: 16), "{}"] {
            #expect(failure(body + Array(extra.utf8), opens) != "opened", "\(extra)")
        }
        #expect(failure(Array("\n".utf8) + body, opens) != "opened")
        #expect(failure(Array(body.dropLast()), opens) != "opened")
        #expect(failure([], opens) != "opened")
    }

    @Test(
        "what is wrong with the gzip inside is named", arguments: [SealProfile.aes128gcm, .legacy])
    func gzip(profile: SealProfile) throws {
        let secret = bytes(secrets(profile).opens)
        func told(_ content: [UInt8]) -> String {
            guard case .symmetric(let key) = try? SecretFile(secret) else { return "no key" }
            let body =
                profile == .legacy
                ? LegacyCipher().seal(content.span, key: key.span)
                : ContentCoding.seal(content.span, keyID: Array("k".utf8).span, secret: key.span)
            return failure(body, secrets(profile).opens)
        }
        let packed = Gzip.compress(Self.text.span)
        #expect(told(packed) == "opened")
        #expect(told(packed + packed).contains("more than one gzip member"))
        #expect(told(packed + [10]).contains("gzip member is followed by 1 byte;"))
        #expect(told(packed + Array("garbage".utf8)).contains("followed by 7 bytes"))
        #expect(told(packed + [UInt8](repeating: 0, count: 64)).contains("followed by 64 bytes"))
        #expect(told(Array(packed.dropLast())).contains("damaged or cut short"))
        // Without gzip only aes128gcm may be.
        #expect(
            told(Self.text)
                == (profile == .legacy
                    ? "cannot inflate the body: it is not gzip, which a body of profile legacy has to be"
                    : "opened"))
    }

    @Test(
        "what was compressed twice, or otherwise than the profile has it, is named",
        arguments: [SealProfile.aes128gcm, .jwe, .legacy])
    func compressedTwice(profile: SealProfile) throws {
        let (seals, opens) = secrets(profile)
        let sealer = try Sealer(profile, app: "a", keyID: "k", secret: bytes(seals), token: "t")
        let packed = Gzip.compress(Self.text.span)
        #expect(failure(sealer.seal(packed), opens).contains("it is compressed twice;"))
        guard profile == .jwe else { return }
        let key = try PublicKey(text: bytes(seals).span)
        let body = JWE.seal(packed.span, keyID: "k", key: key, isCompressed: false)
        #expect(failure(body, opens).contains("it is gzip inside, and profile jwe has raw deflate"))
    }

    @Test("how the text was compressed is told")
    func compression() throws {
        for (profile, compression) in [
            (SealProfile.aes128gcm, BodyOpener.Compression.gzip), (.legacy, .gzip),
            (.jwe, .deflate),
        ] {
            let (seals, opens) = secrets(profile)
            let sealer = try Sealer(profile, app: "a", keyID: "k", secret: bytes(seals), token: "t")
            let opened = try BodyOpener.open(
                sealer.seal(Self.text), keyID: "k", secret: bytes(opens))
            #expect(opened.compression == compression && opened.text == Self.text)
        }
    }

    @Test(
        "a size of records that none may have is named",
        arguments: [0, 1, 17, 1_048_577, 1 << 31, (1 << 32) - 1])
    func recordSize(_ size: Int) throws {
        let sealer = try Sealer(.aes128gcm, app: "a", keyID: "k", secret: bytes(Self.hex32))
        var body = sealer.seal(Self.text)
        for (index, shift) in [24, 16, 8, 0].enumerated() {
            body[16 + index] = UInt8(truncatingIfNeeded: size >> shift)
        }
        #expect(
            failure(body, Self.hex32)
                == "cannot open the body: its header says records of \(size) bytes, "
                + "and they have to have 18 to 1048576")
    }

    @Test("what is wrong with a compact serialization is named")
    func compact() throws {
        let (seals, opens) = secrets(.jwe)
        let body = try Sealer(.jwe, app: "a", keyID: "k", secret: bytes(seals), token: "t")
            .seal(Self.text)
        let parts = String(decoding: body, as: UTF8.self).split(
            separator: ".", omittingEmptySubsequences: false
        ).map(String.init)
        func told(_ part: Int, _ change: (String) -> String) -> String {
            var changed = parts
            changed[part] = change(changed[part])
            return failure(bytes(changed.joined(separator: ".")), opens)
        }
        #expect(told(0) { $0 } == "opened")
        #expect(told(0) { $0 + "=" }.contains("its header is none"))
        #expect(told(2) { $0 + "AAAA" }.contains("its nonce has 15 bytes and not 12"))
        #expect(told(3) { $0 + "=" }.contains("its ciphertext is padded with ="))
        #expect(told(4) { $0 + "==" }.contains("its tag is padded with ="))
        #expect(told(4) { String($0.dropLast()) }.contains("its tag is no base64url, or is cut"))
        #expect(told(4) { $0 + "!" }.contains("its tag is no base64url, or is cut"))
        #expect(told(4) { String($0.dropLast(2)) }.contains("its tag has 15 bytes and not 16"))
        let rsa = PrivateKey(making: .rsaOAEP256)
        #expect(
            failure(body, pem(rsa)).contains("its alg is ECDH-ES, and the key is of RSA-OAEP-256"))
    }

    @Test(
        "a text that is not one I-JSON object opens with a complaint",
        arguments: [
            ("{}", nil), (#" {"a":[1]} "#, nil), ("[]", "it is no object"), ("", "byte 0"),
            ("{} x", "byte 3: something follows"),
            (#"{"a":1,"a":2}"#, "byte 7: a name that stands"),
            (#"{"a":"\ud800"}"#, "byte 6: half of a surrogate pair"),
            ("\u{feff}{}", "byte order mark"),
            (#"{"a":"#, "byte 5: it ends within"), (#"{"a":"\u0000"}"#, "U+0000"),
            ("{\"a\":\"\n\"}", "control character"), (#"{"a":01}"#, "no number"),
            (#"{"a":"\x"}"#, "no escape"), ("{a}", "no JSON"),
            (String(repeating: #"{"a":"#, count: 17), "more than 16 deep"),
        ] as [(String, String?)])
    func complaints(text: String, complaint: String?) throws {
        let sealer = try Sealer(.aes128gcm, app: "a", keyID: "k", secret: bytes(Self.hex32))
        let opened = try BodyOpener.open(
            sealer.seal(bytes(text)), keyID: "k", secret: bytes(Self.hex32))
        #expect(opened.text == bytes(text))
        #expect(opened.complaint?.contains(complaint ?? "\0") == (complaint == nil ? nil : true))
    }
}
