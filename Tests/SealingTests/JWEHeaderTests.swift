import TestSupport
import Testing

@testable import Sealing

/// A body with this header, and nothing of worth behind it.
private func body(_ header: String) -> [UInt8] { body(Array(header.utf8)) }

private func body(_ header: [UInt8]) -> [UInt8] {
    Array((Base64URL.encode(header.span) + "..AAAAAAAAAAAAAAAA..AAAAAAAAAAAAAAAAAAAAAA").utf8)
}

private func parse(_ body: [UInt8]) -> JWE.Header? { try? JWE.Header.parse(body.span) }

@Suite("JWE headers") struct JWEHeaderTests {
    static let x = "gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0"
    static let y = "SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps"
    static let epk = #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#
    static let rsa = #""alg":"RSA-OAEP-256","enc":"A256GCM""#
    static let curve = #""alg":"ECDH-ES","enc":"A128GCM","kid":"k""#

    static let good: [String] = [
        #"{\#(rsa),"kid":"k"}"#,
        #" { \#(rsa) , "kid" : "k" } "#,
        "\t\r\n{\(rsa),\n\"kid\":\"k\"}\n",
        #"{\#(rsa),"kid":"\u006b"}"#,
        #"{"\u0061lg":"RSA-OAEP-256","enc":"A256\u0047CM","kid":"k"}"#,
        #"{\#(rsa),"kid":"k","typ":"JOSE","cty":"application/json"}"#,
        #"{\#(rsa),"kid":"k","typ":"a \"quoted\" \/ \\ \b\f\n\r\t word","cty":""}"#,
        #"{\#(rsa),"kid":"k","typ":"\ud83d\ude00 ä"}"#,
        #"{\#(rsa),"kid":"k","typ":"a\u0000b"}"#,
        #"{\#(rsa),"kid":"k","zip":"DEF"}"#,
        #"{\#(rsa),"kid":"k","apu":"QWxpY2U","apv":""}"#,
        #"{\#(curve),"epk":\#(epk)}"#,
        #"{\#(curve),"epk":{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","ext":true,"key_ops":[]}}"#,
        #"{\#(curve),"epk":{"y":"\#(y)","x":"\#(x)","n":[1,-0.5e+3,{"a":[null]}],"crv":"P-256","kty":"EC"}}"#,
    ]

    @Test("these are read", arguments: good)
    func accepted(header: String) {
        #expect(parse(body(header))?.keyID == Array("k".utf8))
    }

    @Test("a protected header has 4096 characters as sent at most")
    func longest() {
        // 3072 octets are 4096 characters.
        for (octets, isRead) in [(3071, true), (3072, true), (3073, false), (6144, false)] {
            let start = #"{\#(Self.rsa),"kid":"k","typ":""#
            let filling = String(repeating: "a", count: octets - start.utf8.count - 2)
            let header = start + filling + "\"}"
            #expect(header.utf8.count == octets)
            #expect((parse(body(header)) != nil) == isRead, "\(octets)")
        }
    }

    static let bad: [String] = [
        "", "{}", "[]", "null", "\"k\"", "{", "}",
        // Members.
        #"{\#(rsa)}"#,
        #"{\#(rsa),"kid":5}"#,
        #"{\#(rsa),"kid":null}"#,
        #"{\#(rsa),"kid":["k"]}"#,
        #"{\#(rsa),"kid":"k","crit":["exp"],"exp":1}"#,
        #"{\#(rsa),"kid":"k","crit":[]}"#,
        #"{\#(rsa),"kid":"k","jku":"x"}"#,
        #"{\#(rsa),"kid":"k","p2c":1}"#,
        #"{\#(rsa),"kid":"k","":""}"#,
        #"{\#(rsa),"kid":"k","Kid":"k"}"#,
        #"{\#(rsa),"kid":"k","kid":"k"}"#,
        #"{\#(rsa),"kid":"k","typ":"\u0000","ty\u0070":"\u0000"}"#,
        #"{\#(rsa),"kid":"k","typ\u0000":"JOSE"}"#,
        #"{\#(rsa),"kid":"k","\u212aid":"k"}"#,
        #"{\#(rsa),"kid":"k","\u006bid":"k"}"#,
        #"{\#(rsa),"kid":"k","alg":"RSA-OAEP-256"}"#,
        #"{"enc":"A256GCM","kid":"k"}"#,
        #"{"alg":"RSA-OAEP-256","kid":"k"}"#,
        #"{"alg":"RSA-OAEP","enc":"A256GCM","kid":"k"}"#,
        #"{"alg":"rsa-oaep-256","enc":"A256GCM","kid":"k"}"#,
        #"{"alg":"RSA1_5","enc":"A256GCM","kid":"k"}"#,
        #"{"alg":"dir","enc":"A256GCM","kid":"k"}"#,
        #"{"alg":"none","enc":"A256GCM","kid":"k"}"#,
        #"{"alg":"ECDH-ES+A128KW","enc":"A128GCM","kid":"k","epk":\#(epk)}"#,
        #"{"alg":7,"enc":"A256GCM","kid":"k"}"#,
        #"{"alg":"RSA-OAEP-256","enc":"A192GCM","kid":"k"}"#,
        #"{"alg":"RSA-OAEP-256","enc":"A128CBC-HS256","kid":"k"}"#,
        #"{"alg":"RSA-OAEP-256","enc":null,"kid":"k"}"#,
        #"{\#(rsa),"kid":"k","zip":"def"}"#,
        #"{\#(rsa),"kid":"k","zip":"GZIP"}"#,
        #"{\#(rsa),"kid":"k","zip":""}"#,
        #"{\#(rsa),"kid":"k","zip":null}"#,
        #"{\#(rsa),"kid":"k","typ":1}"#,
        #"{\#(rsa),"kid":"k","cty":null}"#,
        #"{\#(rsa),"kid":"k","apu":"QWxpY2U="}"#,
        #"{\#(rsa),"kid":"k","apu":"QWxpY2V"}"#,
        #"{\#(rsa),"kid":"k","apv":5}"#,
        #"{\#(rsa),"kid":"k","epk":"x"}"#,
        // Ephemeral keys.
        #"{\#(curve)}"#,
        #"{\#(curve),"epk":null}"#,
        #"{\#(curve),"epk":[]}"#,
        #"{\#(curve),"epk":{}}"#,
        #"{\#(curve),"epk":{"crv":"P-256","x":"\#(x)","y":"\#(y)"}}"#,
        #"{\#(curve),"epk":{"kty":"OKP","crv":"P-256","x":"\#(x)","y":"\#(y)"}}"#,
        #"{\#(curve),"epk":{"kty":"EC","crv":"P-384","x":"\#(x)","y":"\#(y)"}}"#,
        #"{\#(curve),"epk":{"kty":"EC","x":"\#(x)","y":"\#(y)"}}"#,
        #"{\#(curve),"epk":{"kty":"EC","crv":"P-256","x":"\#(x)"}}"#,
        #"{\#(curve),"epk":{"kty":"EC","crv":"P-256","x":"AA\#(x)","y":"\#(y)"}}"#,
        #"{\#(curve),"epk":{"kty":"EC","crv":"P-256","x":"\#(x)=","y":"\#(y)"}}"#,
        #"{\#(curve),"epk":{"kty":"EC","crv":"P-256","x":"\#(x)","x":"\#(x)","y":"\#(y)"}}"#,
        #"{\#(curve),"epk":{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","d":"\#(x)"}}"#,
        // Text.
        #"{\#(rsa),"kid":"k"}x"#,
        #"{\#(rsa),"kid":"k"}{}"#,
        #"{\#(rsa),"kid":"k",}"#,
        #"{,\#(rsa),"kid":"k"}"#,
        #"{\#(rsa) "kid":"k"}"#,
        #"{\#(rsa),"kid" "k"}"#,
        #"{\#(rsa),kid:"k"}"#,
        #"{\#(rsa),'kid':'k'}"#,
        #"{\#(rsa),"kid":"k"/**/}"#,
        #"{\#(rsa),"kid":"\x6b"}"#,
        #"{\#(rsa),"kid":"\u6b"}"#,
        #"{\#(rsa),"kid":"\u00g0"}"#,
        #"{\#(rsa),"kid":"\ud83d"}"#,
        #"{\#(rsa),"kid":"\ud83dx"}"#,
        #"{\#(rsa),"kid":"\ude00"}"#,
        #"{\#(rsa),"kid":"\ud83d\ud83d"}"#,
        "{\(rsa),\"kid\":\"k\n\"}",
        "{\(rsa),\"kid\":\"k\u{0}\"}",
        "{\(rsa),\"kid\":\"k\",\"typ\":\"\u{0}\"}",
        #"{\#(rsa),"kid":"k"},"#,
        #"[{\#(rsa),"kid":"k"}]"#,
        #"{\#(rsa),"kid":"k"#,
        "\u{feff}{\(rsa),\"kid\":\"k\"}",
        "\u{a0}{\(rsa),\"kid\":\"k\"}",
        #"{\#(curve),"epk":{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","n":01}}"#,
        #"{\#(curve),"epk":{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","n":1.}}"#,
        #"{\#(curve),"epk":{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","n":-}}"#,
        #"{\#(curve),"epk":{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","n":1e}}"#,
        #"{\#(curve),"epk":{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","n":NaN}}"#,
        #"{\#(curve),"epk":{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","n":[1,]}}"#,
        #"{\#(curve),"epk":{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","n":tru}}"#,
    ]

    @Test("these are undecodable", arguments: bad)
    func refused(header: String) { #expect(parse(body(header)) == nil) }

    @Test("nesting is bounded")
    func nesting() {
        for (depth, good) in [(14, true), (15, false), (100_000, false)] {
            let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let header = #"""
                {\#(Self.curve),"epk":{"kty":"EC","crv":"P-256","x":"\#(Self.x)","y":"\#(Self.y)","n":\#(nested)}}
                """#
            #expect((parse(body(header)) != nil) == good, "\(depth)")
        }
    }

    @Test("a header that is no UTF-8 is undecodable")
    func encoding() {
        let start = Array(#"{\#(Self.rsa),"kid":"k"#.utf8)
        let end = Array(#""}"#.utf8)
        #expect(parse(body(start + [0xc3, 0xa4] + end))?.keyID == [0x6b, 0xc3, 0xa4])
        for bad: [UInt8] in [
            [0xff], [0xc0, 0x80], [0xc3], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80],
        ] {
            #expect(parse(body(start + bad + end)) == nil)
        }
    }

    @Test("exactly five parts", arguments: ["", ".", "..", "...", ".....", "......"])
    func parts(dots: String) {
        let header = Base64URL.encode(Array(#"{\#(Self.rsa),"kid":"k"}"#.utf8).span)
        #expect(parse(Array((header + dots).utf8)) == nil)
        #expect(parse(Array((header + "....").utf8)) != nil)
        #expect(parse(Array(("." + header + "...").utf8)) == nil)
    }

    /// Points that are none on P-256: x and y.
    static let strayPoints: [(String, String)] = {
        let zero = String(repeating: "A", count: 43)
        let prime = "_____wAAAAEAAAAAAAAAAAAAAAD_______________8"
        return [
            (y, x), (zero, zero), (prime, y), (x, prime), (String(x.dropLast()) + "4", y),
        ]
    }()

    @Test("a point that is not on the curve is undecodable", arguments: strayPoints)
    func offTheCurve(x: String, y: String) throws {
        let key = PrivateKey(making: .ecdhES)
        let epk = #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#
        let sealed = body(#"{\#(Self.curve),"epk":\#(epk)}"#)
        let header = try JWE.Header.parse(sealed.span)
        #expect(key.agree(with: header.ephemeral.span) == nil)
        #expect(KeyPair.isOnCurve(header.ephemeral.span) == false)
        var scratch = [UInt8]()
        #expect(throws: SealError.undecodable) {
            _ = try JWE().open(sealed.span, header: header, key: key, into: &scratch)
        }
    }

    @Test("an ephemeral key that RSA has no use for is judged all the same")
    func needlessEphemeral() throws {
        let key = try PrivateKey(pem: Array(PublishedKeys.wrapping.utf8).span)
        let contentKey = [UInt8](repeating: 5, count: 32)
        let wrapped = key.publicKey.wrap(contentKey.span) ?? []
        let nonce = [UInt8](repeating: 0, count: 12)
        var scratch = [UInt8]()
        for ((x, y), good) in [((Self.x, Self.y), true)] + Self.strayPoints.map({ ($0, false) }) {
            let epk = #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#
            let text = Base64URL.encode(Array(#"{\#(Self.rsa),"kid":"k","epk":\#(epk)}"#.utf8).span)
            let sealed = AESGCM(.bits256).seal(
                nonce.span, key: contentKey.span, nonce: nonce.span,
                associated: Array(text.utf8).span)
            let parts = [
                text, Base64URL.encode(wrapped.span), Base64URL.encode(nonce.span),
                Base64URL.encode(sealed.span.extracting(first: 12)),
                Base64URL.encode(sealed.span.extracting(last: 16)),
            ]
            let body = Array(parts.joined(separator: ".").utf8)
            let header = try JWE.Header.parse(body.span)
            let made = try? JWE().open(body.span, header: header, key: key, into: &scratch)
            #expect(made == (good ? 12 : nil))
        }
    }
}
