/// Text for a terminal: controls as `\xNN`, so that no text begins a line or a command of its own.
enum Printable {
    static func text(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            // The C0 and C1 controls and DEL.
            guard scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) else {
                out.unicodeScalars.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            out += (digits.count < 2 ? "\\x0" : "\\x") + digits
        }
        return out
    }
}
