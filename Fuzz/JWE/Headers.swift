import FuzzSupport
import JSON
import Sealing

/// Header parameters: what is taken is I-JSON, has the members that the profile knows and no others,
/// and names the same key to every reader.
enum Headers {
    private static let known = ["alg", "enc", "kid", "zip", "epk", "apu", "apv", "typ", "cty"]

    static func check(_ json: [UInt8], _ number: Int) {
        var body: [UInt8] = []
        Base64URL.append(json.span, to: &body)
        expect(Base64URL.decode(body.span) == json, "base64url gives something else back")
        let parts = [number % 257, 12, number >> 8, 16]
        for count in parts {
            body.append(UInt8(ascii: "."))
            Base64URL.append([UInt8](repeating: UInt8(number & 255), count: count).span, to: &body)
        }
        guard let header = Bodies.header(body) else { return }
        guard let members = members(json) else { return }
        for (name, _) in members {
            expect(known.contains(String(decoding: name, as: UTF8.self)), "an unknown member")
        }
        expect(text("kid", members) == header.keyID, "another key id")
        expect(text("alg", members) == Array(header.algorithm.rawValue.utf8), "another algorithm")
        expect(text("enc", members) == Array(header.encryption.rawValue.utf8), "another cipher")
        expect((text("zip", members) != nil) == header.isCompressed, "another compression")
        Bodies.check(body)
    }

    private static func text(
        _ name: String, _ members: [(name: [UInt8], text: [UInt8]?)]
    ) -> [UInt8]? {
        members.first { $0.name == Array(name.utf8) }?.text
    }

    /// As the scanner of batches reads them, which was written by itself; nil where U+0000 stands,
    /// which is for batches to refuse.
    private static func members(_ json: [UInt8]) -> [(name: [UInt8], text: [UInt8]?)]? {
        var scanner = Scanner()
        var members: [(name: [UInt8], text: [UInt8]?)] = []
        do throws(Malformed) {
            try scanner.reset(json.span)
            expect(try scanner.value(json.span).kind == .object, "a header that is no object")
            while let name = try scanner.member(json.span) {
                let token = try scanner.value(json.span)
                members.append((unescaped(name.text, json), token.text.map { unescaped($0, json) }))
                try scanner.skipRest(of: token, json.span)
            }
            try scanner.finish(json.span)
        } catch {
            expect(error.rule == .zero, "a header that is no I-JSON: \(error)")
            return nil
        }
        return members
    }

    private static func unescaped(_ string: Text, _ json: [UInt8]) -> [UInt8] {
        var room: [UInt8] = []
        let count = string.unescape(json.span, into: &room)
        return Array(room[..<count])
    }
}
