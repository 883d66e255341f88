/// Texts in the order in which they first came. Bytes, not `String`s, decide whether two are one.
struct TextPlaces {
    private(set) var texts: [String] = []
    private var places: [[UInt8]: Int] = [:]

    /// The place of a text, which is added where it is new.
    mutating func place(of text: String) -> Int {
        let bytes = Array(text.utf8)
        if let place = places[bytes] { return place }
        places[bytes] = texts.count
        texts.append(text)
        return texts.count - 1
    }
}
