/// A text that equals another if their bytes are equal: a `String` also equals others of other bytes.
struct ByteText: Hashable, Sendable {
    let text: String

    static func == (a: ByteText, b: ByteText) -> Bool {
        var (a, b) = (a.text, b.text)
        return a.utf8.count == b.utf8.count
            && a.withUTF8 { a in b.withUTF8 { b in a.elementsEqual(b) } }
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
