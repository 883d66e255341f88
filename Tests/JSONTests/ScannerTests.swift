import JSON
import Testing

@Suite("Scanner")
struct ScannerTests {
    @Test("takes what I-JSON allows", arguments: acceptedTexts)
    func accepts(_ test: ParsingCase) {
        #expect(refusal(test.octets) == nil)
    }

    @Test("says where and why a text is none", arguments: refusedTexts + moreRefusedTexts)
    func refuses(_ refused: RefusedText) {
        let expected = Malformed(offset: refused.offset, rule: refused.rule)
        #expect(refusal(refused.test.octets) == expected, "\(refused.test.name)")
    }

    @Test("refuses every truncation, at its end")
    func truncations() {
        let text = Array(
            (##"{"a":[1,-2.5e+3,true,false,null,{"b":"c\u00e9\ud83d\ude00\n"}],"##
                + ##""é語😀":{"":{}},"z":"0123456789abcdef"}"##).utf8)
        #expect(refusal(text) == nil)
        for length in 0..<text.count {
            let found = refusal(Array(text[..<length]))
            #expect(found == Malformed(offset: length, rule: .truncated), "\(length)")
        }
    }

    @Test("counts values and members' names, skipped ones too, and stops at the first of too many")
    func elements() throws {
        let text = Array(#"{"a":[1,-2.5,[],{}],"b":{"c":"[{}]","\u0064":null},"e":true}"#.utf8)
        // Five names and ten values.
        let total = 15
        func read(_ limit: Int, skips: Bool) throws(Malformed) -> Int {
            var scanner = Scanner()
            try scanner.reset(text.span, maxElements: limit)
            if skips {
                try scanner.skipValue(text.span)
            } else {
                _ = try scanner.value(text.span)
                while try scanner.member(text.span) != nil { try scanner.skipValue(text.span) }
            }
            try scanner.finish(text.span)
            return scanner.elements
        }
        for skips in [false, true] {
            #expect(try read(.max, skips: skips) == total)
            #expect(try read(total, skips: skips) == total)
            for limit in 0..<total {
                let error = #expect(throws: Malformed.self) { try read(limit, skips: skips) }
                #expect(error?.rule == .elements)
            }
        }
    }

    @Test("reads a value within a text as it reads a text of its own")
    func within() throws {
        let text = Array(#"{"a":[1,"x"],"b":2}"#.utf8)
        var scanner = Scanner()
        try scanner.reset(text.span, from: 5)
        var kinds = [try scanner.value(text.span).kind]
        while try scanner.element(text.span) { kinds.append(try scanner.value(text.span).kind) }
        let (position, elements) = (scanner.position, scanner.elements)
        #expect(kinds == [.array, .integer, .string])
        #expect(position == 12 && elements == 3)
    }

    @Test("a number at the end of the text is whole")
    func numberAtEnd() {
        for text in ["0", "12345678", "123456789", "-12345678901234567", "1.5", "1e5"] {
            #expect(refusal(text) == nil)
        }
    }

    @Test("each octet inside a string, alone, is taken or refused by its class", arguments: 0...255)
    func octetInString(_ octet: Int) {
        // At every place within a word, so that both ways of looking are tried.
        for before in 0..<18 {
            let start = [UInt8(ascii: "\"")] + [UInt8](repeating: 0x61, count: before)
            let text = start + [UInt8(octet)] + Array(#"bcdefghijklmnop""#.utf8)
            let at = 1 + before
            let expected: Malformed? =
                switch octet {
                case 0: Malformed(offset: at, rule: .zero)
                case 1..<0x20: Malformed(offset: at, rule: .control)
                case 0x22: Malformed(offset: at + 1, rule: .trailing)
                case 0x5c: nil
                case 0x20..<0x80: nil
                case 0xc2...0xf4: Malformed(offset: at + 1, rule: .encoding)
                default: Malformed(offset: at, rule: .encoding)
                }
            #expect(refusal(text) == expected)
        }
    }

    @Test("each octet behind a backslash", arguments: 0...255)
    func octetAfterBackslash(_ octet: Int) {
        let text = Array(#""\"#.utf8) + [UInt8(octet)] + Array(#"0041""#.utf8)
        if "\"\\/bfnrtu".utf8.contains(UInt8(octet)) {
            let expected = octet == 0x22 ? Malformed(offset: 3, rule: .trailing) : nil
            #expect(refusal(text) == expected || octet == 0x22)
        } else {
            #expect(refusal(text) == Malformed(offset: 2, rule: .escape))
        }
    }

    @Test("each octet as a hexadecimal digit, at each place", arguments: 0...255)
    func hexDigit(_ octet: Int) {
        let isDigit = "0123456789abcdefABCDEF".utf8.contains(UInt8(octet))
        for place in 0..<4 {
            var text = Array(#""\u1111""#.utf8)
            text[3 + place] = UInt8(octet)
            let expected = isDigit ? nil : Malformed(offset: 3 + place, rule: .escape)
            #expect(refusal(text) == expected)
        }
    }

    @Test("each octet between tokens", arguments: 0...255)
    func octetBetweenTokens(_ octet: Int) {
        let isSpace = [0x20, 0x09, 0x0a, 0x0d].contains(octet)
        let before = refusal([UInt8(octet)] + Array("[]".utf8))
        let after = refusal(Array("[]".utf8) + [UInt8(octet)])
        if isSpace {
            #expect(before == nil && after == nil)
        } else {
            #expect(after == Malformed(offset: 2, rule: .trailing))
            #expect(before != nil)
        }
    }

    @Test("every second octet of a sequence, by its first", arguments: 0x80...0xff)
    func sequences(_ first: Int) {
        for second in 0...255 where second != 0x22 {
            let tail: [UInt8] = first >= 0xf0 ? [0x80, 0x80] : first >= 0xe0 ? [0x80] : []
            let text = [0x22, UInt8(first), UInt8(second)] + tail + [0x22]
            let isValid = String(validating: text, as: UTF8.self) != nil
            #expect((refusal(text) == nil) == isValid, "\(first) \(second)")
        }
    }

    @Test("every scalar is taken raw and escaped but zero and surrogates")
    func scalars() {
        for code in stride(from: UInt32(0x80), through: 0x10ffff, by: 0x35) {
            guard let scalar = Unicode.Scalar(code) else { continue }
            #expect(refusal("\"\(scalar)\"") == nil)
        }
    }
}
