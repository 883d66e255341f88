import Foundation
import Testing

/// What the pages name is there: they are read by people who do not know the code yet.
@Suite("the documentation names what there is")
struct DocumentationTests {
    private static let pages: [Page] = {
        let top = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
        let paths = (try? Repository.files(in: "docs", endings: [".md"])) ?? []
        return (top + paths).compactMap { path in
            (try? Repository.text(path)).map { Page(path: path, text: $0) }
        }
    }()
    private static let byPath = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, $0) })
    /// Pages about the code: the others are for people who see only the program.
    private static let codePages = pages.filter {
        ["CONTRIBUTING.md", "docs/design.md", "docs/testing.md"].contains($0.path)
            || $0.path.hasPrefix("docs/decisions/")
    }

    // MARK: Links

    /// `a/../b/./c`: b/c. Nil where it leads out of the repository.
    private static func normalised(_ path: String) -> String? {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part != ".." {
                parts.append(part)
            } else if parts.popLast() == nil {
                return nil
            }
        }
        return parts.joined(separator: "/")
    }

    private static func problem(of target: String, on page: Page) -> String? {
        guard !target.contains("://"), !target.hasPrefix("mailto:") else { return nil }
        let halves = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = halves[0].isEmpty ? page.path : normalised(page.folder + halves[0])
        guard let path, Repository.exists(path) else { return "there is no \(target)" }
        guard halves.count == 2 else { return nil }
        guard let aim = byPath[path] else { return "\(path) is no page with headings" }
        return aim.anchors.contains(String(halves[1])) ? nil : "there is no heading for \(target)"
    }

    @Test("every relative link leads to a file and a heading")
    func links() {
        for page in Self.pages {
            for (_, target) in page.links {
                let problem = Self.problem(of: target, on: page)
                #expect(problem == nil, "\(page.path): \(problem ?? "")")
            }
        }
    }

    // MARK: Paths

    private static let tops = [
        "Sources/", "Tests/", "docs/", "deploy/", "scripts/", "Benchmarks/", "Fuzz/", "Migrations/",
        "Clients/", "Examples/", ".github/", ".ci/",
    ]
    /// What a build or a server makes, and what a page takes for an example.
    private static let elsewhere = [".build/", "data/", "./", "../", "~/", "/", "examples/"]

    /// The paths of the repository in a line of code.
    static func paths(in code: String) -> [String] {
        code.split { " =:\"'()[]{}|<>,;$".contains($0) }.map(String.init).filter { word in
            guard !word.contains(where: { "*…@?&%".contains($0) }), !word.contains("NNNN") else {
                return false
            }
            guard !elsewhere.contains(where: { word.hasPrefix($0) }) else { return false }
            return tops.contains { word.hasPrefix($0) }
                || word.wholeMatch(
                    of: /[\w.+-]+(\/[\w.+-]+)*\/[\w+-]+\.(swift|md|sh|py|c|h|sql|yml|yaml|svg)/)
                    != nil
        }
    }

    @Test("every path of the repository is there")
    func paths() {
        for page in Self.pages {
            for path in (page.codes + page.fenced).flatMap(Self.paths) {
                #expect(
                    Repository.exists(path) || Repository.exists(page.folder + path),
                    "\(page.path) names \(path)")
            }
        }
    }

    @Test("all pages are read")
    func complete() {
        let paths = Set(Self.pages.map(\.path))
        #expect(
            paths.isSuperset(of: ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]))
        #expect(paths.isSuperset(of: ["docs/design.md", "docs/decisions/README.md"]))
    }

    // MARK: Symbols

    /// Names of the toolchain's, of libraries' and of formats.
    private static let foreign: [String: String] = [
        "Date": "HTTP's",
        "JSONDecoder": "Foundation's",
        "Span": "Swift's",
        "String": "Swift's",
        "URLSessionTask": "Foundation's",
    ]

    /// `Type`, `Type.member` or `Type.member(label:)`, with a small letter in the type.
    static func symbol(in code: String) -> (type: String, member: String?)? {
        guard
            let match = code.wholeMatch(of: /([A-Z]\w*)(?:\.([a-z]\w*)(?:\([\w:]*\))?)?(?:<.*>)?/),
            match.output.1.contains(where: \.isLowercase), match.output.2 != "swift"
        else { return nil }
        return (String(match.output.1), match.output.2.map(String.init))
    }

    @Test("every type and member that pages about the code name is declared")
    func symbols() throws {
        var declared = Declarations()
        let client = ["Clients/Swift/Sources", "Clients/Swift/Tests"]
        for folder in ["Sources", "Tests", "Benchmarks", "Fuzz"] + client {
            for path in try Repository.files(in: folder, endings: [".swift"]) {
                declared.read(try Repository.text(path))
            }
        }
        let modules = try ["Sources", "Tests", "Clients/Swift/Sources"].reduce(into: Set<String>())
        {
            try $0.formUnion(Repository.folders(of: $1))
        }
        var named: Set<String> = []
        for page in Self.codePages {
            for code in page.codes {
                guard let (type, member) = Self.symbol(in: code) else { continue }
                named.insert(type)
                guard Self.foreign[type] == nil, !modules.contains(type) else { continue }
                // The compiler's, for every enum that asks for it.
                let sought = member == "allCases" ? nil : member
                let isThere = declared.has(type, member: sought)
                #expect(isThere, "\(page.path) names \(code)")
            }
        }
        for name in Self.foreign.keys {
            #expect(named.contains(name), "no page names \(name) any more")
            let isOurs = declared.has(name, member: nil)
            #expect(!isOurs, "\(name) is our own")
        }
    }

    // MARK: Rooms

    @Test("design.md draws, lists and tells of the rooms of Sources")
    func rooms() throws {
        let text = try Repository.text("docs/design.md")
        let rooms = try Repository.folders(of: "Sources")
        let table = try #require(text.firstRange(of: "| room | holds | knows |"))
        let rows = text[table.upperBound...].split(separator: "\n\n", maxSplits: 1)[0]
        let listed = rows.split(separator: "\n").flatMap { row in
            row.split(separator: "|")[0].matches(of: /`(\w+)`/).map { String($0.output.1) }
        }
        #expect(Set(listed) == rooms)
        let picture = try Repository.text("docs/rooms.svg")
        let page = try #require(Self.byPath["docs/design.md"])
        let drawn = Set(
            page.fenced.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map(String.init) })
        for room in rooms {
            #expect(picture.contains(">\(room)</text>"), "rooms.svg has no \(room)")
            #expect(drawn.contains(room), "the picture in letters has no \(room)")
        }
    }

    @Test("design.md is read in ten minutes")
    func length() throws {
        let words = try Repository.text("docs/design.md").split(whereSeparator: \.isWhitespace)
            .count
        #expect(words <= 2_000)
    }

    // MARK: Decisions

    @Test("the index of decisions has every file, by its title")
    func decisions() throws {
        let index = try #require(Self.byPath["docs/decisions/README.md"])
        let files = Self.pages.filter {
            $0.path.hasPrefix("docs/decisions/") && !$0.path.hasSuffix("README.md")
        }
        let listed = index.links.filter { $0.target.prefix(4).allSatisfy(\.isNumber) }
        #expect(listed.map(\.target).sorted() == files.map { String($0.path.dropFirst(15)) })
        for (text, target) in listed {
            let page = try #require(Self.byPath["docs/decisions/\(target)"])
            #expect(
                page.headings == [text, "Context", "Decision", "Measurement", "Consequences"],
                "\(page.path)")
            let number = target.prefix(4).drop { $0 == "0" }
            #expect(text.hasPrefix("\(number). "), "\(target) is \(text)")
        }
    }

    // MARK: From the code to the pages

    /// `docs/page.md, Heading` in comments: the page, and what follows a comma and a capital.
    static func references(in line: Substring) -> [(path: String, rest: String?)] {
        line.matches(of: /docs\/[\w\/-]+\.(?:md|svg|roff)/).map { match in
            let rest = line[match.range.upperBound...]
            let heading = rest.hasPrefix(", ") ? rest.dropFirst(2).drop { $0 == "\"" } : ""
            let isHeading = heading.first?.isUppercase ?? false
            return (String(match.output), isHeading ? String(heading) : nil)
        }
    }

    @Test("pages and headings that the code names are there")
    func references() throws {
        let endings = [".swift", ".sql", ".sh", ".py", ".c", ".h"]
        var files = ["Package.swift", "Makefile", "Dockerfile"]
        for folder in ["Sources", "Tests", "Migrations", "scripts", "Benchmarks", "Fuzz", "deploy"]
        {
            files += try Repository.files(in: folder, endings: endings)
        }
        for file in files where !file.hasSuffix("DocumentationTests.swift") {
            let text = try Repository.text(file)
            guard text.contains("docs/") else { continue }
            let lines = text.split(separator: "\n")
            for (index, line) in lines.enumerated() where line.contains("docs/") {
                // A comment's line may end in the middle of a heading.
                let next =
                    index + 1 < lines.count ? lines[index + 1].drop { "/#- ".contains($0) } : ""
                for (path, heading) in Self.references(in: line + " " + next) {
                    #expect(Repository.exists(path), "\(file) names \(path)")
                    guard let heading, let page = Self.byPath[path] else { continue }
                    let isThere = page.headings.contains {
                        heading.hasPrefix($0)
                            && heading.dropFirst($0.count).first?.isLetter != true
                    }
                    #expect(isThere, "\(file): \(path) has no heading \(heading.prefix(40))")
                }
            }
        }
    }

    // MARK: The reading itself

    @Test("anchors are made as GitHub makes them")
    func anchors() {
        #expect(Page.anchor(of: "How it is tested, at length") == "how-it-is-tested-at-length")
        #expect(Page.anchor(of: "`aes128gcm` & [TLS](x.md)") == "aes128gcm--tls")
        #expect(Page(path: "a.md", text: "# A b\n## A b\n").anchors == ["a-b", "a-b-1"])
    }

    @Test("links, code and fences are told apart")
    func parsing() {
        let page = Page(
            path: "docs/a.md", text: "[`x`](b.md#c) and `[no](link.md)`\n```\n# no `code`\n```\n")
        #expect(page.links.map(\.target) == ["b.md#c"])
        #expect(page.codes == ["x", "[no](link.md)"])
        #expect(page.headings.isEmpty)
        #expect(page.fenced == ["# no `code`"])
        #expect(page.folder == "docs/")
    }

    @Test("what is not there is seen")
    func faults() {
        let page = Page(path: "docs/a.md", text: "")
        #expect(Self.problem(of: "guide.md#install", on: page) == nil)
        #expect(Self.problem(of: "guide.md#instal", on: page) != nil)
        #expect(Self.problem(of: "guides.md", on: page) != nil)
        #expect(Self.problem(of: "../../README.md", on: page) != nil)
        #expect(Self.paths(in: "sh scripts/none.sh --to /etc/x.json") == ["scripts/none.sh"])
        #expect(Self.symbol(in: "Fault.none(of:)")?.member == "none")
        #expect(Self.symbol(in: "INSERT") == nil)
        var declared = Declarations()
        declared.read("enum Fault {\n    case one, two\n    // struct Not {}\n}\n")
        #expect(declared.has("Fault", member: "two"))
        #expect(!declared.has("Fault", member: "three"))
        #expect(!declared.has("Not", member: nil))
    }
}
