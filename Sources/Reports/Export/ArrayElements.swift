/// Where the elements of a JSON array of scalars stand, as stored by us: no white space, no nesting.
/// They are copied into lines as they are, so that nothing is unescaped and escaped again.
enum ArrayElements {
    /// Ranges of the elements, strings with their quotes; nothing where the text is no such array.
    static func ranges(in text: Span<UInt8>) -> [Range<Int>]? {
        guard text.count >= 2, text[0] == UInt8(ascii: "["),
            text[text.count - 1] == UInt8(ascii: "]")
        else { return nil }
        let end = text.count - 1
        if end == 1 { return [] }
        var ranges: [Range<Int>] = []
        var place = 1
        while true {
            let start = place
            if place < end, text[place] == UInt8(ascii: "\"") {
                place += 1
                while place < end, text[place] != UInt8(ascii: "\"") {
                    place += text[place] == UInt8(ascii: "\\") ? 2 : 1
                }
                place += 1
            } else {
                while place < end, text[place] != UInt8(ascii: ",") { place += 1 }
            }
            guard place > start, place <= end else { return nil }
            ranges.append(start..<place)
            if place == end { return ranges }
            guard text[place] == UInt8(ascii: ",") else { return nil }
            place += 1
        }
    }
}
