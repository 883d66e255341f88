/// One plain JavaScript module of the page, read line by line.
///
/// Modules import each other by single lines at the top, `import { a, b } from "./x.js";`, and export by `export`
/// before a function, a class or a constant. Nothing else of modules is understood (docs/dashboard.md, Modules).
struct ScriptModule {
    struct Import: Equatable {
        let names: [String]
        /// The file's name.
        let file: String
    }

    let name: String
    private(set) var imports: [Import] = []
    private(set) var exports: [String] = []
    /// Functions, classes and variables at the top, exported ones among them.
    private(set) var declared: [String] = []
    /// Without imports, and without `export`; ends with a line's end.
    private(set) var body: [UInt8] = []
    private(set) var faults: [PageFault] = []

    private static let lineEnd = UInt8(ascii: "\n")

    init(_ name: String, _ text: [UInt8]) {
        self.name = name
        body.reserveCapacity(text.count + 1)
        var mayImport = true
        var isInComment = false
        for bytes in text.split(separator: Self.lineEnd, omittingEmptySubsequences: false) {
            let blanks = bytes.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
            let content = bytes.dropFirst(blanks)
            let isComment = isInComment || content.starts(with: "/*".utf8)
            if isComment { isInComment = !Self.endsComment(content) }
            if !isComment, Self.begins(content, with: "import") {
                let line = String(decoding: bytes, as: UTF8.self)
                if !mayImport { faults.append(.lateImport(line: line, in: name)) }
                if let found = Self.importing(line) {
                    imports.append(found)
                } else {
                    faults.append(.malformedImport(line: line, in: name))
                }
                continue
            }
            let isBlank = content.isEmpty || isComment || content.starts(with: "//".utf8)
            if !isBlank { mayImport = false }
            if !isComment, Self.begins(content, with: "export") {
                add(export: bytes)
            } else {
                if blanks == 0, !isComment, let own = Self.declaration(in: bytes) {
                    declared.append(own)
                }
                add(line: bytes)
            }
        }
        // The text's own last line end has made an empty line.
        if body.suffix(2).elementsEqual("\n\n".utf8) || body == [Self.lineEnd] { body.removeLast() }
    }

    private mutating func add(line: ArraySlice<UInt8>) {
        body += line
        body.append(Self.lineEnd)
    }

    private mutating func add(export line: ArraySlice<UInt8>) {
        let rest = line.dropFirst("export ".utf8.count)
        guard line.starts(with: "export ".utf8), let own = Self.declaration(in: rest),
            !Self.begins(rest, with: "let"), !Self.begins(rest, with: "var")
        else {
            let text = String(decoding: line, as: UTF8.self)
            faults.append(.malformedExport(line: text, in: name))
            return
        }
        exports.append(own)
        declared.append(own)
        add(line: rest)
    }

    // MARK: Lines

    private static func endsComment(_ line: ArraySlice<UInt8>) -> Bool {
        zip(line, line.dropFirst()).contains { $0 == UInt8(ascii: "*") && $1 == UInt8(ascii: "/") }
    }

    /// Whether a line begins with this word.
    private static func begins(_ line: ArraySlice<UInt8>, with word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        let isThere = word.withUTF8Buffer { line.starts(with: $0) }
        guard isThere else { return false }
        return line.dropFirst(count).first.map { !isNamePart($0) } ?? true
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
            true
        default: false
        }
    }

    private static let keywords: [StaticString] = [
        "async function", "function", "class", "const", "let", "var",
    ]

    /// The name that a line at the top declares; nil where it declares none.
    private static func declaration(in line: ArraySlice<UInt8>) -> String? {
        guard let keyword = keywords.first(where: { begins(line, with: $0) }) else { return nil }
        let rest = line.dropFirst(keyword.utf8CodeUnitCount).drop {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "*")
        }
        let name = rest.prefix(while: isNamePart)
        return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }

    /// `import { a, b } from "./x.js";`, with these blanks and no others.
    private static func importing(_ line: String) -> Import? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 6, words[0] == "import", words[1] == "{",
            words[words.count - 3] == "}", words[words.count - 2] == "from"
        else { return nil }
        let (start, end) = ("\"./", "\";")
        guard let source = words.last, source.hasPrefix(start), source.hasSuffix(end) else {
            return nil
        }
        let file = source.dropFirst(start.count).dropLast(end.count)
        guard !file.isEmpty, !file.contains("/"), !file.contains("\"") else { return nil }
        let list = words[2..<words.count - 3]
        var names: [String] = []
        for (index, word) in zip(list.indices, list) {
            let isLast = index == list.endIndex - 1
            guard isLast || word.hasSuffix(",") else { return nil }
            let name = isLast ? word : word.dropLast()
            guard !name.isEmpty, name.utf8.allSatisfy(isNamePart) else { return nil }
            names.append(String(name))
        }
        return Import(names: names, file: String(file))
    }
}
