/// How parts of a table are set off: not at all, or by the colours that every terminal has (ECMA-48
/// §8.3.117).
struct TableStyle {
    private let titleCode: String
    private let headCode: String
    private let drawingCode: String

    /// Characters only.
    static let plain = TableStyle(titleCode: "", headCode: "", drawingCode: "")
    /// The title bold, names faint, drawings cyan.
    static let coloured = TableStyle(titleCode: "1", headCode: "2", drawingCode: "36")

    /// What was asked.
    func title(_ text: String) -> String { set(text, titleCode) }

    /// Names of columns and members.
    func head(_ text: String) -> String { set(text, headCode) }

    /// A bar or a sparkline.
    func drawing(_ text: String) -> String { set(text, drawingCode) }

    private func set(_ text: String, _ code: String) -> String {
        code.isEmpty ? text : "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}
