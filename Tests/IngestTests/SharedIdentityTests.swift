import Ingest
import Sealing
import Testing

/// spec: Device identity.
@Suite("Shared ids")
struct SharedIdentityTests {
    private func isShared(_ id: String, model: String = "iPhone16,2") -> Bool {
        SharedIdentity.isShared(Array(id.utf8), model: model)
    }

    private static func hex(_ digest: [UInt8]) -> String {
        digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static func sha1(_ text: String) -> String { hex(Hashing.sha1(Array(text.utf8).span)) }
    private static func md5(_ text: String) -> String { hex(Hashing.md5(Array(text.utf8).span)) }

    @Test("all of the contract's are known")
    func complete() {
        #expect(
            SharedIdentity.texts == [
                "9774d56d682e549c", "unknown", "undefined", "null", "nil", "none", "nan", "0",
                "true", "false", "id", "user", "guest", "anonymous", "system", "[object object]",
                "(null)", "<null>", "optional(nil)", "n/a", "02:00:00:00:00:00",
            ])
    }

    @Test("the known ones are shared, in either case", arguments: SharedIdentity.texts)
    func known(_ id: String) {
        for form in [id, id.uppercased(), id.prefix(1).uppercased() + id.dropFirst()] {
            #expect(isShared(form))
            #expect(!isShared(form + "x") && !isShared("x" + form))
            #expect(!isShared(" " + form) && !isShared(form + " "))
        }
    }

    @Test(
        "only zeros, only fs, or nothing, but for - and :",
        arguments: [
            "00000000-0000-0000-0000-000000000000", "0", "000000000000000", "00:00:00:00:00:00",
            "-", ":", "-:-", "0-", String(repeating: "0", count: 256), "f", "F", "fF-:f",
            "ff:ff:ff:ff:ff:ff", "FFFFFFFFFFFF", "ffffffff-ffff-ffff-ffff-ffffffffffff",
            String(repeating: "f", count: 256),
        ])
    func filler(_ id: String) { #expect(isShared(id)) }

    @Test(
        "the address that every iPhone gives, with - and : or without",
        arguments: [
            "020000000000", "02:00:00:00:00:00", "02-00-00-00-00-00", "0200-0000-0000",
            "-020000000000:",
            "0:2:0:0:0:0:0:0:0:0:0:0",
        ])
    func address(_ id: String) { #expect(isShared(id)) }

    /// Published hashes of what old clients hashed.
    @Test(
        "hashes of the known ones are shared, as they stand, capital or without :",
        arguments: [
            "d41d8cd98f00b204e9800998ecf8427e", "da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "0f607264fc6318a92b9e13c65db7cd3c", "f607264fc6318a92b9e13c65db7cd3c",
            "c1976429369bfe063ed8b3409db7c7e7d87196d9",
            "e3f5536a141811db40efd6400f1d0a4e", "6024a02ea5577bcb6442a70d0bfa791935839db3",
            "ad921d60486366258809553a3db49a4a", "88183b946cc5f0e8c96b2e66e1c74a7e",
            "696b031073e74bf2cb98e5ef201d4aa3", "37a6259cc0c1dae299a7866489dff0bd",
            "bbb93ef26e3c101ff11cdd21cab08a94", "6c3e226b4d4795d518ab341b0824ec29",
            "eef19c54306daa69eda49c0272623bdb5e2b341f", "5e543256c480ac577d30f76f9120eb74",
            "cfcd208495d565ef66e7dff9f98764da", "a4d2f177eb466a7d08f8f2b340b77129",
            "cf95dc53f383f9a836fd749f3ef439cd", "1441a7909c087dbbe7ce59881b9df8b9",
            "c1d44ff03aff1372856c281854f454e2e1d15b7c", "e4373472e369c20fe9dfcda9ed3e19c8",
            "274b68192b056e268f128ff63bfcd4a4", "382b0f5185773fa0f67a8ed8056c7759",
        ])
    func published(_ hash: String) {
        #expect(isShared(hash) && isShared(hash.uppercased()))
        #expect(isShared(hash, model: ""))
        #expect(!isShared(String(hash.dropLast())) && !isShared(hash + "0"))
        #expect(!isShared("0" + hash) || hash.count == 31)
    }

    @Test("each text's hashes are, in every form, with or without the zeros that they begin with")
    func hashes() {
        var forms = ["", "[object Object]"]
        for text in SharedIdentity.texts {
            forms += [
                text, text.prefix(1).uppercased() + text.dropFirst(), text.uppercased(),
                text.filter { $0 != ":" },
            ]
        }
        for form in forms {
            for hash in [Self.md5(form), Self.sha1(form)] {
                let bare = String(hash.drop { $0 == "0" })
                #expect(isShared(hash) && isShared(hash.uppercased()) && isShared(bare), "\(form)")
            }
        }
        // Of other texts they are not.
        for text in ["Unknown ", "uNKNOWN", "none!", "1", "[Object Object]", "iphone16,2"] {
            #expect(!isShared(Self.md5(text)) && !isShared(Self.sha1(text)), "\(text)")
        }
    }

    @Test("the hashes of the model are, with or without their leading zeros")
    func model() throws {
        for hash in [Self.md5, Self.sha1] {
            let digest = hash("GT-I9100")
            #expect(isShared(digest, model: "GT-I9100"))
            #expect(isShared(digest.uppercased(), model: "GT-I9100"))
            #expect(!isShared(digest, model: "GT-I9101") && !isShared(digest, model: ""))
            #expect(!isShared(digest, model: "gt-i9100"))
            // A model whose hash begins with two zeros.
            let model = try #require(
                (0..<10_000).lazy.map { "Model-\($0)" }.first { hash($0).hasPrefix("00") })
            let whole = hash(model)
            let bare = String(whole.drop { $0 == "0" })
            #expect(isShared(whole, model: model))
            #expect(isShared(bare, model: model) && isShared(bare.uppercased(), model: model))
            // All of the zeros or none.
            #expect(!isShared(String(whole.dropFirst()), model: model))
            #expect(!isShared("000" + whole, model: model))
        }
    }

    @Test(
        "an ordinary id is not",
        arguments: [
            "8f14e45f-ceea-467a-9575-4d0f0c0b7a11", "a", "1", "2", "02", "e", "0f", "f0",
            "00000000-0000-0000-0000-000000000001", "0200000000000", "02000000000", "002000000000",
            "020000000001", "20000000000", "02000000000f", "ff:ff:ff:ff:ff:fe",
            "f000000000000000", "0fffffffffffffff",
            "userx", "10", "9774d56d682e549d", "9774d56d-682e549c", "9774-d56d-682e-549c",
            "ünknown", "\u{212a}nown", "un-known", "n-a", "nu:ll",
            "da39a3ee5e6b4b0d3255bfef95601890afd8070", "0 0", "0.0", "00_00",
            "d41d8cd9-8f00-b204-e980-0998ecf8427e", "0123456789abcdef0123456789abcdef",
            "507f1f77bcf86cd799439011", "a3f5b1c2d4e6f708",
        ])
    func ordinary(_ id: String) { #expect(!isShared(id)) }
}
