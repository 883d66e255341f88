/// What Swift files declare, read word by word: enough to tell a name that is there from one that was
/// renamed.
struct Declarations {
    private(set) var types: Set<String> = []
    /// By type that a file declares or extends: what else is declared in its files.
    private(set) var members: [String: Set<String>] = [:]

    private static let typeKeywords: Set = [
        "struct", "class", "enum", "protocol", "actor", "typealias",
    ]
    private static let memberKeywords: Set = ["func", "var", "let", "case"]

    mutating func read(_ text: String) {
        var own: Set<String> = []
        var inside: Set<String> = []
        for line in Array(text.utf8).split(separator: UInt8(ascii: "\n")) {
            let words = Self.words(in: line)
            // `case one, two`: the keyword stands before the first alone.
            if words.first == "case" { inside.formUnion(words.dropFirst()) }
            for (index, word) in words.enumerated().dropLast() {
                let next = words[index + 1]
                if Self.typeKeywords.contains(word) {
                    types.insert(next)
                    own.insert(next)
                    inside.insert(next)
                } else if word == "extension" {
                    // `extension A.B` is about both; a conformance does no harm.
                    own.formUnion(words[(index + 1)...])
                } else if Self.memberKeywords.contains(word) {
                    inside.insert(next)
                }
            }
        }
        for type in own { members[type, default: []].formUnion(inside) }
    }

    /// The words of a line; none of a comment.
    private static func words(in line: ArraySlice<UInt8>) -> [String] {
        let code = line.drop { $0 == UInt8(ascii: " ") }
        guard !code.starts(with: "//".utf8) else { return [] }
        return code.split { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                false
            default: true
            }
        }.map { String(decoding: $0, as: UTF8.self) }
    }

    func has(_ type: String, member: String?) -> Bool {
        guard let member else { return types.contains(type) }
        return members[type]?.contains(member) ?? false
    }
}
