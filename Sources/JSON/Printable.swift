/// Text for a terminal or a line of a log: no text begins a line or a command of its own, or turns
/// its line around (docs/operation.md, Commands).
package enum Printable {
    /// The same text with the bytes of whatever a terminal obeys as `\xNN`.
    package static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var out = ""
        for scalar in text.unicodeScalars {
            guard isControl(scalar) else {
                out.unicodeScalars.append(scalar)
                continue
            }
            for byte in String(scalar).utf8 {
                out += byte < 16 ? "\\x0" : "\\x"
                out += String(byte, radix: 16, uppercase: true)
            }
        }
        return out
    }

    /// C0, DEL and C1, the separators of lines and paragraphs, and the controls of direction.
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
