import Compression
import Foundation
import Sealing
import Testing

@testable import Dashboard

/// The page as it is embedded (docs/dashboard.md).
@Suite("the dashboard's page")
struct DashboardPageTests {
    private let page = DashboardPage.embedded
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Dashboard/Page").standardizedFileURL

    private func field(_ name: String) -> String? {
        page.fields.first { "\($0.name)" == name }?.value
    }

    private var text: String { String(decoding: page.identity.body, as: UTF8.self) }

    // MARK: Its files

    @Test("the list is what the folder holds")
    func folder() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        var listed = PageFiles.modules
        listed["page.html"] = PageFiles.document
        listed["style.css"] = PageFiles.style
        #expect(listed.keys.sorted() == names.sorted())
        for (name, bytes) in listed {
            #expect(try Array(Data(contentsOf: Self.folder.appending(path: name))) == bytes)
        }
    }

    @Test("its files have no fault")
    func faults() {
        #expect(page.faults == [])
    }

    @Test("a module is of a size that one reads, and is text with lines' ends")
    func sizes() {
        for (name, bytes) in PageFiles.modules {
            #expect(bytes.count { $0 == UInt8(ascii: "\n") } < 250, "\(name)")
            #expect(bytes.last == UInt8(ascii: "\n"), "\(name)")
            #expect(String(validating: bytes, as: UTF8.self) != nil, "\(name)")
        }
    }

    @Test("no import and no export is left in the script")
    func leftovers() {
        let script = ScriptJoiner(PageFiles.modules, from: PageFiles.main).script
        for line in String(decoding: script, as: UTF8.self).split(separator: "\n") {
            #expect(line.prefixMatch(of: /\s*(import|export)\b/) == nil, "\(line)")
        }
    }

    // MARK: What is sent

    @Test("the document is one page that names nothing to load")
    func document() {
        #expect(text.hasPrefix("<!doctype html>\n"))
        let markup = text.replacing(/<(style|script)>.*?<\/(style|script)>/.dotMatchesNewlines()) {
            _ in ""
        }
        #expect(markup.count < text.count)
        let loading = markup.matches(of: /(?:src|href|action|data)="(?!data:|#)([^"]*)"/)
        #expect(loading.map { String($0.output.0) } == [])
        #expect(markup.firstMatch(of: /<[a-z][^>]*\s(style|on[a-z]+)=/) == nil)
    }

    @Test("gzip is the same document, smaller, the same each time, and within its budget")
    func codings() throws {
        var scratch: [UInt8] = []
        let count = try Inflater().gunzip(page.gzip.body.span, limit: 4 << 20, into: &scratch)
        #expect(Array(scratch.prefix(count)) == page.identity.body)
        #expect(page.gzip.body.count < page.identity.body.count)
        #expect(page.gzip.body.count <= 60_000)
        // No time (RFC 1952 §2.3).
        #expect(page.gzip.body.prefix(8).suffix(4) == [0, 0, 0, 0])
        #expect(page.gzip.coding == "gzip" && page.identity.coding == nil)
        let again = DashboardPage(
            document: PageFiles.document, style: PageFiles.style, modules: PageFiles.modules)
        #expect(again.gzip.body == page.gzip.body && again.gzip.tag == page.gzip.tag)
    }

    @Test("each coding has a strong tag of its bytes")
    func tags() {
        #expect(page.identity.tag.wholeMatch(of: /"[0-9a-f]{32}"/) != nil)
        #expect(page.gzip.tag.wholeMatch(of: /"[0-9a-f]{32}"/) != nil)
        #expect(page.identity.tag != page.gzip.tag)
        let other = DashboardPage(
            document: PageFiles.document + Array("\n".utf8), style: PageFiles.style,
            modules: PageFiles.modules)
        #expect(other.identity.tag != page.identity.tag && other.gzip.tag != page.gzip.tag)
    }

    @Test("the policy lets run and show exactly what is inside")
    func policy() throws {
        let policy = try #require(field("Content-Security-Policy"))
        var rules: [String: String] = [:]
        for rule in policy.components(separatedBy: "; ") {
            let words = rule.split(separator: " ", maxSplits: 1).map(String.init)
            #expect(rules.updateValue(words[1], forKey: words[0]) == nil)
        }
        func source(_ element: Regex<(Substring, Substring)>) throws -> String {
            let matches = text.matches(of: element)
            #expect(matches.count == 1)
            let inside = Array(try #require(matches.first).output.1.utf8)
            let digest = Data(Hashing.sha256(inside.span).bytes).base64EncodedString()
            return "'sha256-\(digest)'"
        }
        #expect(
            rules == [
                "default-src": "'none'", "img-src": "data:", "connect-src": "'self'",
                "script-src": try source(/<script>(.*?)<\/script>/.dotMatchesNewlines()),
                "style-src": try source(/<style>(.*?)<\/style>/.dotMatchesNewlines()),
                "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'",
                "require-trusted-types-for": "'script'", "trusted-types": "'none'",
            ])
    }

    @Test(
        "further fields keep others out",
        arguments: [
            ("Cache-Control", "no-cache"), ("Vary", "Accept-Encoding"),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
        ])
    func fields(name: String, value: String) {
        #expect(field(name) == value)
    }

    @Test("devices and payment are denied")
    func permissions() throws {
        let denied = try #require(field("Permissions-Policy")).components(separatedBy: ", ")
        for name in ["camera", "microphone", "geolocation", "payment", "usb"] {
            #expect(denied.contains("\(name)=()"))
        }
        #expect(denied.allSatisfy { $0.hasSuffix("=()") })
    }
}
