/// Swift source as its words and signs, in order, without comments and without what strings say; what
/// is interpolated into a string is code and stays. Knows no regular expression literals: `Sources`
/// has none.
struct SourceText {
    /// Words whole, every other character but white space by itself.
    private(set) var tokens: [String] = []
    private let text: [Character]
    private var index = 0

    init(_ source: String) {
        text = Array(source)
        scan(untilParenthesis: false)
    }

    /// Scans code: to its end, or to the parenthesis that closes an interpolation.
    private mutating func scan(untilParenthesis: Bool) {
        var depth = 0
        while index < text.count {
            let character = text[index]
            if follows("//") {
                while index < text.count, !text[index].isNewline { index += 1 }
            } else if follows("/*") {
                skipComment()
            } else if let hashes = openingHashes() {
                skipString(hashes)
            } else if isWord(character) {
                let start = index
                while index < text.count, isWord(text[index]) { index += 1 }
                tokens.append(String(text[start..<index]))
            } else {
                index += 1
                if untilParenthesis, character == ")", depth == 0 { return }
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                if !character.isWhitespace, character != "`" { tokens.append(String(character)) }
            }
        }
    }

    /// Block comments nest.
    private mutating func skipComment() {
        var depth = 0
        while index < text.count {
            if follows("/*") {
                depth += 1
                index += 2
            } else if follows("*/") {
                depth -= 1
                index += 2
                if depth == 0 { return }
            } else {
                index += 1
            }
        }
    }

    /// How many `#` stand before the quote that opens a string here; nil where none does.
    private func openingHashes() -> Int? {
        var end = index
        while end < text.count, text[end] == "#" { end += 1 }
        return end < text.count && text[end] == "\"" ? end - index : nil
    }

    private mutating func skipString(_ hashes: Int) {
        index += hashes
        let quote = follows("\"\"\"") ? "\"\"\"" : "\""
        index += quote.count
        let fence = String(repeating: "#", count: hashes)
        while index < text.count {
            if follows(quote + fence) {
                index += quote.count + hashes
                return
            }
            if follows("\\" + fence + "(") {
                index += 2 + hashes
                scan(untilParenthesis: true)
            } else {
                // What is escaped closes nothing.
                index += follows("\\" + fence) ? 2 + hashes : 1
            }
        }
    }

    private func follows(_ sign: String) -> Bool {
        guard text.count - index >= sign.count else { return false }
        return zip(text[index...], sign).allSatisfy { $0 == $1 }
    }

    private func isWord(_ character: Character) -> Bool {
        character == "_" || character.isLetter || character.isNumber
    }
}
