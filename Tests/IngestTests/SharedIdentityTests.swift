import Ingest
import Sealing
import Testing

@Suite("Shared ids")
struct SharedIdentityTests {
    private func isShared(_ id: String, model: String = "iPhone16,2") -> Bool {
        SharedIdentity.isShared(Array(id.utf8), model: model)
    }

    private func hex(_ text: String) -> String {
        Hashing.sha1(Array(text.utf8).span).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }

    @Test("the known ones are shared, in either case", arguments: SharedIdentity.known.sorted())
    func known(_ id: String) {
        #expect(isShared(id))
        #expect(isShared(id.uppercased()))
        #expect(!isShared(id + "x"))
        #expect(!isShared(" " + id))
    }

    @Test("all of the contract's are known")
    func complete() {
        #expect(
            SharedIdentity.known == [
                "9774d56d682e549c", "unknown", "undefined", "null", "nil", "none", "nan", "0",
                "true", "false", "id", "user", "guest", "anonymous", "system", "[object object]",
            ])
    }

    @Test(
        "only zeros, or nothing, but for - and :",
        arguments: [
            "00000000-0000-0000-0000-000000000000", "0", "000000000000000", "00:00:00:00:00:00",
            "-", ":", "-:-", "0-", String(repeating: "0", count: 256),
        ])
    func zeros(_ id: String) { #expect(isShared(id)) }

    @Test("SHA-1 of nothing or of the model, with or without its leading zeros")
    func hashes() throws {
        #expect(hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
        #expect(isShared(hex("")))
        #expect(isShared(hex("").uppercased()))
        #expect(isShared(hex("GT-I9100"), model: "GT-I9100"))
        #expect(!isShared(hex("GT-I9100"), model: "GT-I9101"))
        #expect(!isShared(hex("GT-I9100"), model: ""))
        // A model whose hash begins with two zeros.
        let model = try #require(
            (0..<10_000).lazy.map { "Model-\($0)" }.first { hex($0).hasPrefix("00") })
        let whole = hex(model)
        #expect(isShared(whole, model: model))
        #expect(isShared(String(whole.drop { $0 == "0" }), model: model))
        #expect(isShared(String(whole.drop { $0 == "0" }).uppercased(), model: model))
        #expect(!isShared(String(whole.dropFirst()), model: model))
        #expect(!isShared("000" + whole, model: model))
    }

    @Test(
        "an ordinary id is not",
        arguments: [
            "8f14e45f-ceea-467a-9575-4d0f0c0b7a11", "a", "1",
            "00000000-0000-0000-0000-000000000001",
            "userx", "10", "9774d56d682e549d", "9774d56d-682e549c", "ünknown", "\u{212a}nown",
            "da39a3ee5e6b4b0d3255bfef95601890afd8070", "0 0",
        ])
    func ordinary(_ id: String) { #expect(!isShared(id)) }
}
