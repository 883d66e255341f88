import TestSupport
import Testing

@testable import Columns

@Suite("Short decimals")
struct DecimalTextTests {
    private func text(of decimal: DecimalText) -> String {
        decimal.withText { text in
            text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
    }

    private func decimal(_ text: String) -> DecimalText? { DecimalText(Array(text.utf8).span) }

    @Test(
        "come back as they were, and are the nearest double",
        arguments: [
            "0", "7", "10", "-1", "-10", "0.5", "-0.5", "10.05", "1450.25", "999999999999999",
            "-999999999999999", "0.00000000000001", "-0.00000000000001", "12345678.1234567", "100",
        ])
    func back(text: String) throws {
        let decimal = try #require(self.decimal(text))
        #expect(self.text(of: decimal) == text)
        #expect(decimal.number == Double(text))
    }

    @Test(
        "are no texts that would come back otherwise, and none of more digits",
        arguments: [
            "", "-", ".", "-.", ".5", "-.5", "5.", "-0", "-0.0", "0.0", "1.50", "00", "01", "-01",
            "00.5", "1e3",
            "1E3", "+1", "1.2.3", "1..2", "--1", "1-", "true", "null", "\"1\"", " 1", "1 ",
            "1000000000000000",
            "0.000000000000001", "1234567.123456789", "12345678901234567890", "١",
        ])
    func others(text: String) { #expect(decimal(text) == nil) }

    @Test("whatever digits they have", arguments: 0..<20)
    func any(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        for _ in 0..<2000 {
            let digits = Array("0123456789.-")
            let text = String(
                (0..<Int.random(in: 1...18, using: &random)).map { _ in random.pick(digits) })
            if let decimal = self.decimal(text) {
                #expect(self.text(of: decimal) == text)
                #expect(decimal.number == Double(text))
            }
            let number = Int.random(in: 0...99_999_999, using: &random)
            let fraction = Int.random(in: 0...99_999, using: &random) * 10 + 3
            let common = "\(random.pick(["", "-"]))\(number).\(fraction)"
            #expect(try self.text(of: #require(self.decimal(common))) == common)
        }
    }
}
