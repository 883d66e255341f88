import FuzzSupport
import JSON

/// A number's kind and value are its text's, and its canonical form is worth the same.
enum Numbers {
    static func check(_ token: Token, _ text: [UInt8]) {
        let octets = Array(text[token.start..<token.end])
        let value = Value.number(octets)
        let written = String(decoding: octets, as: UTF8.self)
        let isPlain = written.allSatisfy { $0 == "-" || $0.isNumber }
        switch token.kind {
        case .integer: expect(token.integer == value.integer, "\(written) is \(token.value)")
        case .hugeInteger: expect(isPlain && value.integer == nil, "\(written) is not huge")
        default: expect(!isPlain, "\(written) is an integer")
        }
        let double = Double(written) ?? .infinity
        var room: [UInt8] = []
        guard let count = DecimalForm.canonical(token, text.span, into: &room) else {
            return expect(double.isInfinite, "\(written) is a double")
        }
        let form = String(decoding: room[..<count], as: UTF8.self)
        expect(Double(form) == double, "\(written) became \(form)")
        expect(form != "-0" && form.first != "+", "\(written) became \(form)")
        guard token.kind == .decimal else { return }
        var again: [UInt8] = []
        DecimalForm.append(double, to: &again)
        expect(again[...] == room[..<count], "\(written) became \(form) and not \(again)")
    }
}
