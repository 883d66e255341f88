import JSON
import TestSupport
import Testing

@Suite("Numbers in the form of RFC 8785")
struct DecimalFormTests {
    private func canonical(_ text: String) throws -> String? {
        var scanner = Scanner()
        let octets = Array(text.utf8)
        try scanner.reset(octets.span)
        let token = try scanner.value(octets.span)
        try scanner.finish(octets.span)
        var scratch: [UInt8] = []
        guard let count = DecimalForm.canonical(token, octets.span, into: &scratch) else {
            return nil
        }
        return String(decoding: scratch[..<count], as: UTF8.self)
    }

    @Test(
        "the double of a text is the nearest one, and 0 for −0",
        arguments: [
            "0", "-0", "-0.0", "0.1", "1.5", "-2.25", "9007199254740991", "9007199254740992",
            "9007199254740993", "-9007199254740993", "999999999999999", "9999999999999999",
            "99999999999999.9", "0.00000000000001", "123456.789012345", "12345678901234567",
            "0.30000000000000004", "1e-400", "-1e-400", "5e-324", "1e308", "1E+2", "100e-2",
            "179769313486231570000000000000000",
        ])
    func double(text: String) {
        let octets = Array(text.utf8)
        let found = DecimalForm.double(octets.span)
        #expect(found == Double(text) && (found != 0 || found?.sign == .plus))
    }

    @Test("so is that of any digits with a point among them", arguments: [1, 2, 3] as [UInt64])
    func anyDouble(seed: UInt64) {
        var source = SplitMix(seed: seed)
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...22, using: &source)
            // Runs of zeros and nines lie near the middle between two doubles more often.
            let choice = Array(Bool.random(using: &source) ? "0123456789" : "0009959")
            var digits = (0..<count).map { _ in
                String(choice[Int.random(in: 0..<choice.count, using: &source)])
            }
            digits.insert(".", at: Int.random(in: 1...count, using: &source))
            if digits.last == "." { digits.removeLast() }
            let text = (Bool.random(using: &source) ? "-" : "") + digits.joined()
            let found = DecimalForm.double(Array(text.utf8).span)
            #expect(found == Double(text), "\(text)")
        }
        // The middle between two doubles, and what is next to it on either side.
        for text in [
            "9007199254740993.0", "9007199254740993.1", "9007199254740992.9",
            "4503599627370496.5", "4503599627370497.5", "0.5000000000000000277",
            "1.0000000000000001110", "18446744073709551615", "18446744073709551616",
            "1.8446744073709551615", "0.000000000000000000000000001",
        ] {
            let found = DecimalForm.double(Array(text.utf8).span)
            #expect(found == Double(text), "\(text)")
        }
    }

    @Test("what is no number, or none that there is, has no double")
    func noDouble() {
        for text in ["", "\"1\"", "true", "null", "1e400", "-1e400", "-", "x", "1.2.3"] {
            let octets = Array(text.utf8)
            let found = DecimalForm.double(octets.span)
            #expect(found == nil, "\(text)")
        }
    }

    @Test(
        "a double is written as the RFC's appendix B has it",
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"), (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] as [(UInt64, String)])
    func appendixB(_ bits: UInt64, _ expected: String) {
        var out: [UInt8] = []
        DecimalForm.append(Double(bitPattern: bits), to: &out)
        #expect(String(decoding: out, as: UTF8.self) == expected)
    }

    @Test(
        "a number's text becomes its form",
        arguments: [
            ("0", "0"), ("-0", "0"), ("-0.0", "0"), ("0.0", "0"), ("0e5", "0"), ("-0e-5", "0"),
            ("1.50", "1.5"), ("1.0", "1"), ("-1.0", "-1"), ("10.00", "10"), ("100.5", "100.5"),
            ("1e3", "1000"), ("1E3", "1000"), ("1.5e1", "15"), ("12e-1", "1.2"),
            ("1e21", "1e+21"), ("1e20", "100000000000000000000"),
            ("123456789e-20", "1.23456789e-12"),
            ("0.000001", "0.000001"), ("0.0000010", "0.000001"), ("0.0000001", "1e-7"),
            ("-0.0000001", "-1e-7"), ("0.00000012", "1.2e-7"), ("10.0000001", "10.0000001"),
            ("0.1", "0.1"), ("0.10000000000000001", "0.1"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("9007199254740993.0", "9007199254740992"), ("1e-400", "0"), ("-1e-400", "0"),
            ("2.2250738585072011e-308", "2.225073858507201e-308"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("123456789012345.6", "123456789012345.6"), ("1234567890.12345", "1234567890.12345"),
            ("42", "42"), ("-7", "-7"), ("9007199254740991", "9007199254740991"),
        ])
    func canonicalForms(_ text: String, _ expected: String) throws {
        #expect(try canonical(text) == expected)
    }

    @Test(
        "a number beyond all doubles has none",
        arguments: ["1e400", "-1e400", "1.5e+9999", "1e309", "1.8e308"])
    func notFinite(_ text: String) throws {
        #expect(try canonical(text) == nil)
    }

    @Test("short decimals come out as the long way has them")
    func shortAgainstLong() throws {
        var source = SystemRandomNumberGenerator()
        for _ in 0..<4_000 {
            let whole =
                UInt64.random(in: 0..<1_000_000, using: &source)
                >> UInt64.random(in: 0..<20, using: &source)
            let places = Int.random(in: 1...8, using: &source)
            let digits = (0..<places).map { _ in String(Int.random(in: 0...9, using: &source)) }
            let text = (Bool.random() ? "-" : "") + "\(whole)." + digits.joined()
            var expected: [UInt8] = []
            DecimalForm.append(try #require(Double(text)), to: &expected)
            #expect(try canonical(text) == String(decoding: expected, as: UTF8.self), "\(text)")
        }
    }

    @Test("any double reads back as itself")
    func roundTrip() throws {
        var source = SystemRandomNumberGenerator()
        for _ in 0..<4_000 {
            let value = Double(bitPattern: source.next())
            guard value.isFinite else { continue }
            var out: [UInt8] = []
            DecimalForm.append(value, to: &out)
            let text = String(decoding: out, as: UTF8.self)
            #expect(Double(text) == value)
            #expect(refusal(out) == nil)
        }
    }

    @Test("a very long number costs no more than its length")
    func longNumber() throws {
        let text = "1." + String(repeating: "0", count: 200_000) + "1"
        var form: String?
        let time = try threadTime { form = try canonical(text) }
        #expect(form == "1")
        #expect(time < .seconds(10))
    }
}
