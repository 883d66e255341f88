import Foundation
import Testing

/// What stands under `Sources`.
enum Sources {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Folders of `Sources` that hold Swift.
    static func rooms() throws -> [String] {
        try modules().filter { try !swiftFiles(in: $0).isEmpty }.sorted()
    }

    /// The folders of `Sources`, C's too.
    private static func modules() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Sources").path)
    }

    /// The Swift files below a folder of `Sources` with their paths from there, sorted.
    static func swiftFiles(in folder: String = "") throws -> [(path: String, text: String)] {
        let base = root.appending(path: "Sources").appending(path: folder)
        let found = try #require(FileManager.default.enumerator(atPath: base.path))
        var paths: [String] = []
        for case let path as String in found where path.hasSuffix(".swift") { paths.append(path) }
        return try paths.sorted().map {
            ($0, try String(contentsOf: base.appending(path: $0), encoding: .utf8))
        }
    }

    static func files(of room: String) throws -> [SourceFile] {
        try swiftFiles(in: room).map { path, text in
            let parts = path.split(separator: "/")
            return SourceFile(
                text, room: room, folder: parts.count > 1 ? String(parts[0]) : ".",
                name: String((parts.last ?? "").dropLast(".swift".count)))
        }
    }

    static func imports(of room: String) throws -> [(file: String, module: String)] {
        try swiftFiles(in: room).flatMap { path, text in
            text.split(separator: "\n").compactMap { line in
                module(importedBy: line).map { (path, $0) }
            }
        }
    }

    /// `import X`, `internal import X`, `@preconcurrency import struct X.Y`: X.
    static func module(importedBy line: Substring) -> String? {
        let words = line.split(separator: " ").map(String.init)
        guard let at = words.firstIndex(of: "import"), words.count > at + 1,
            words[..<at].allSatisfy({
                $0.hasPrefix("@")
                    || ["internal", "package", "public", "private", "fileprivate"].contains($0)
            })
        else { return nil }
        let kinds: Set = ["struct", "class", "enum", "func", "protocol", "typealias", "var", "let"]
        let name =
            kinds.contains(words[at + 1]) && words.count > at + 2 ? words[at + 2] : words[at + 1]
        return name.split(separator: ".").first.map(String.init)
    }
}
