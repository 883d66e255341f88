/// Values in the text of a statement.
package enum EngineLiteral {
    /// A string of any bytes: all but letters and digits as `\xNN`, which all versions read.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var out: [UInt8] = [UInt8(ascii: "'")]
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                out.append(byte)
            default:
                out += [
                    UInt8(ascii: "\\"), UInt8(ascii: "x"), digits[Int(byte >> 4)],
                    digits[Int(byte & 15)],
                ]
            }
        }
        out.append(UInt8(ascii: "'"))
        return String(decoding: out, as: UTF8.self)
    }

    /// The same of a text's UTF-8.
    package static func text(_ text: String) -> String { self.text(text.utf8) }

    private static let digits = Array("0123456789abcdef".utf8)
}
