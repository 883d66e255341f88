import HTTP1
import Testing

/// Every octet in every class, against the grammar written out.
@Suite struct CharacterClassTests {
    private static let alphanumeric = Set(
        Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8))

    private static func with(_ more: String) -> Set<UInt8> { alphanumeric.union(more.utf8) }

    static let classes: [(String, CharacterClass, Set<UInt8>)] = [
        ("token", .token, with("!#$%&'*+-.^_`|~")),
        ("target", .target, with("-._~!$&'()*+,;=:@/?%")),
        ("authority target", .authorityTarget, with("-._~!$&'()*+,;=:@/?%[]")),
        ("registered name", .registeredName, with("-._~!$&'()*+,;=")),
        ("hexadecimal digit", .hexDigit, Set("0123456789abcdefABCDEF".utf8)),
        ("address literal", .addressLiteral, Set("0123456789abcdefABCDEF:.".utf8)),
    ]

    @Test("a class holds its octets and no other", arguments: 0..<classes.count)
    func classHoldsItsOctets(place: Int) {
        let (name, octets, expected) = Self.classes[place]
        for octet in UInt8.min...UInt8.max {
            #expect(octets.contains(octet) == expected.contains(octet), "\(name) \(octet)")
        }
    }

    @Test("a field value holds tab, visible and upper octets, and no control character")
    func fieldContent() {
        for octet in UInt8.min...UInt8.max {
            let expected = octet == 9 || (octet >= 0x20 && octet != 0x7F)
            #expect(CharacterClass.isFieldContent(octet) == expected)
        }
    }

    @Test("each octet in a method, a name, a value, a target and a host is judged by its class")
    func octetsInPlace() {
        for octet in UInt8.min...UInt8.max {
            func step(_ before: String, _ after: String) -> HeadParser.Step {
                parse(Array(before.utf8) + [octet] + Array(after.utf8)).0.step
            }
            let rest = " /x HTTP/1.1\r\nHost: h\r\n\r\n"
            // A space ends the method early: the line has one part too many then.
            #expect((step("A", "B" + rest) == .done) == CharacterClass.token.contains(octet))
            let target = step("GET /a", "41 HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect((target == .done) == CharacterClass.target.contains(octet), "\(octet)")
            let name = step("GET / HTTP/1.1\r\nHost: h\r\nA", "B: c\r\n\r\n")
            let isName = CharacterClass.token.contains(octet) || octet == 0x3A
            #expect((name == .done) == isName, "\(octet)")
            let value = step("GET / HTTP/1.1\r\nHost: h\r\nA: b", "c\r\n\r\n")
            #expect((value == .done) == CharacterClass.isFieldContent(octet), "\(octet)")
            let host = step("GET / HTTP/1.1\r\nHost: a", "12\r\n\r\n")
            let isHost =
                CharacterClass.registeredName.contains(octet) || octet == 0x25 || octet == 0x3A
            #expect((host == .done) == isHost, "\(octet)")
            // Between the parts there is one space and nothing else.
            #expect((step("GET", "/x HTTP/1.1\r\nHost: h\r\n\r\n") == .done) == (octet == 0x20))
            #expect((step("GET /x", "HTTP/1.1\r\nHost: h\r\n\r\n") == .done) == (octet == 0x20))
        }
    }
}
