import Foundation
import FuzzSupport
import Sealing

/// Header parameters: what is taken is JSON to Foundation's parser too, has the members that the
/// profile knows and no others, and names the same key to every reader.
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
        let members = members(json)
        for name in members.keys { expect(known.contains(name), "an unknown member") }
        expect(text("kid", members) == header.keyID, "another key id")
        expect(text("alg", members) == Array(header.algorithm.rawValue.utf8), "another algorithm")
        expect(text("enc", members) == Array(header.encryption.rawValue.utf8), "another cipher")
        expect((text("zip", members) != nil) == header.isCompressed, "another compression")
        Bodies.check(body)
    }

    private static func text(_ name: String, _ members: [String: Any]) -> [UInt8]? {
        (members[name] as? String).map { Array($0.utf8) }
    }

    /// As Foundation reads them, which shares no code with the server's parser.
    private static func members(_ json: [UInt8]) -> [String: Any] {
        let value = try? JSONSerialization.jsonObject(with: Data(json))
        guard let members = value as? [String: Any] else {
            expect(false, "a header that is no object of JSON")
            return [:]
        }
        return members
    }
}
