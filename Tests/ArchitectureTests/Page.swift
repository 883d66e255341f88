import Foundation

/// A page of documentation in GitHub's Markdown, taken apart as far as the tests need it.
struct Page: Sendable {
    /// From the top of the repository, such as `docs/guide.md`.
    let path: String
    let headings: [String]
    /// What stands in `[…](here)`, images included.
    let links: [(text: String, target: String)]
    /// What stands between backticks within a line.
    let codes: [String]
    /// The lines of fenced blocks.
    let fenced: [String]

    /// The folder that its links begin in, with a slash at the end, or empty at the top.
    var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }

    init(path: String, text: String) {
        var headings: [String] = []
        var links: [(String, String)] = []
        var codes: [String] = []
        var fenced: [String] = []
        var inFence = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                inFence.toggle()
                continue
            }
            guard !inFence else {
                fenced.append(String(line))
                continue
            }
            let level = line.prefix { $0 == "#" }.count
            if (1...6).contains(level), line.dropFirst(level).hasPrefix(" ") {
                headings.append(String(line.dropFirst(level + 1)))
            }
            let pieces = line.split(separator: "`", omittingEmptySubsequences: false)
            codes += pieces.indices.filter { $0 % 2 == 1 }.map { String(pieces[$0]) }
            links += Self.links(in: String(line))
        }
        self.path = path
        (self.headings, self.links, self.codes, self.fenced) = (headings, links, codes, fenced)
    }

    /// `[text](target)` outside of code; the text may hold code.
    private static func links(in line: String) -> [(String, String)] {
        line.matches(of: /\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)/).compactMap { match in
            let ticks = line[..<match.range.lowerBound].count { $0 == "`" }
            return ticks % 2 == 0 ? (String(match.output.1), String(match.output.2)) : nil
        }
    }

    /// The anchors of its headings, as GitHub makes them.
    var anchors: Set<String> {
        var seen: [String: Int] = [:]
        return Set(
            headings.map { heading in
                let anchor = Self.anchor(of: heading)
                let count = seen[anchor, default: 0]
                seen[anchor] = count + 1
                return count == 0 ? anchor : "\(anchor)-\(count)"
            })
    }

    /// Small letters; no signs but hyphens and underscores; a hyphen for each blank.
    static func anchor(of heading: String) -> String {
        let shown = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.output.1) }
        return String(
            shown.lowercased().compactMap { (sign: Character) -> Character? in
                if sign == " " { return "-" }
                return sign.isLetter || sign.isNumber || sign == "-" || sign == "_" ? sign : nil
            })
    }
}

/// The repository that these tests belong to.
enum Repository {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// The files of a folder and of those below it that end in one of `endings`, as paths from the top.
    static func files(in folder: String, endings: [String]) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(
            atPath: root.appending(path: folder).path)
        return names.filter { name in endings.contains { name.hasSuffix($0) } }
            .map { "\(folder)/\($0)" }.sorted()
    }

    static func folders(of folder: String) throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: root.appending(path: folder).path)
        return Set(names.filter { !$0.contains(".") })
    }
}
