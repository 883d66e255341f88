/// What one file declares and which names of types it uses.
struct SourceFile {
    /// Its folder within the room: the first component of its path, `.` for the room's own.
    let folder: String
    /// The file's name without its ending.
    let name: String
    /// Types at the top that other files see.
    private(set) var types: Set<String> = []
    /// Types that other files do not see, by their own name: private ones and those within others. Here they
    /// hide what has the same name elsewhere.
    private(set) var hidden: Set<String> = []
    /// Types within types and extensions, by the name of the outermost one.
    private(set) var nested: [String: Set<String>] = [:]
    /// What it extends.
    private(set) var extended: Set<String> = []
    /// Names with a capital that it uses, those behind a dot only where the room's name stands before it.
    private(set) var uses: Set<String> = []

    private static let kinds: Set = [
        "struct", "class", "enum", "protocol", "typealias", "actor", "associatedtype",
    ]
    private static let modifiers: Set = [
        "package", "public", "private", "fileprivate", "internal", "open", "final", "indirect",
        "nonisolated",
    ]

    init(_ source: String, room: String, folder: String, name: String) {
        self.folder = folder
        self.name = name
        let tokens = SourceText(source).tokens
        var depth = 0
        var outermost: String?
        for (index, token) in tokens.enumerated() {
            let next = index + 1 < tokens.count ? tokens[index + 1] : ""
            let isMember = index > 0 && tokens[index - 1] == "."
            switch token {
            case "{": depth += 1
            case "}":
                depth -= 1
                if depth == 0 { outermost = nil }
            case "extension" where depth == 0:
                // `extension Room.Type` is rare; the type is what counts.
                outermost =
                    next == room && index + 3 < tokens.count ? tokens[index + 3] : next
                extended.insert(outermost ?? next)
            case _ where Self.kinds.contains(token) && !isMember && Self.isTypeName(next):
                if depth > 0 {
                    hidden.insert(next)
                    if let outermost { nested[outermost, default: []].insert(next) }
                } else {
                    if token != "typealias" { outermost = next }
                    if Self.isPrivate(tokens[..<index]) {
                        hidden.insert(next)
                    } else {
                        types.insert(next)
                    }
                }
            case _ where Self.isTypeName(token):
                if !isMember || index > 1 && tokens[index - 2] == room { uses.insert(token) }
            default: break
            }
        }
    }

    private static func isTypeName(_ token: String) -> Bool { token.first?.isUppercase == true }

    /// Whether a declaration whose keyword comes next is private.
    private static func isPrivate(_ before: ArraySlice<String>) -> Bool {
        for token in before.reversed() {
            if token == "private" || token == "fileprivate" { return true }
            if !modifiers.contains(token) { return false }
        }
        return false
    }
}
