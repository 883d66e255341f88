import Compression
import Sealing

/// The dashboard as it is sent: one document with its style and script inside, in each coding, with all fields
/// of the answers (docs/dashboard.md, How it is served). It holds no data and no version, and is made once.
package struct DashboardPage: Sendable {
    /// The document in one content coding.
    package struct Representation: Sendable {
        /// The value of `Content-Encoding`; nil where it is not coded.
        package let coding: String?
        package let body: [UInt8]
        /// A strong entity tag with its quotes, of these bytes.
        package let tag: String

        init(_ body: [UInt8], coding: String?) {
            self.coding = coding
            // In no more memory than it needs: every answer shares it.
            var exact: [UInt8] = []
            exact.reserveCapacity(body.count)
            exact += body
            self.body = exact
            tag = "\"" + String(Hashing.sha256(body.span).hex.prefix(32)) + "\""
        }
    }

    /// A field of an answer.
    package typealias Field = (name: StaticString, value: String)

    package static let contentType: StaticString = "text/html; charset=utf-8"
    /// That of the embedded files.
    package static let embedded = DashboardPage(
        document: PageFiles.document, style: PageFiles.style, modules: PageFiles.modules)

    package let identity: Representation
    package let gzip: Representation
    /// Of every answer that has the page, or says that it has not changed.
    package let fields: [Field]
    /// What is wrong with the files.
    let faults: [PageFault]

    init(document: [UInt8], style: [UInt8], modules: [String: [UInt8]]) {
        let joined = ScriptJoiner(modules, from: PageFiles.main)
        let script = joined.script
        let page = PageTemplate(document, style: style, script: script)
        faults = joined.faults + page.faults
        identity = Representation(page.document, coding: nil)
        gzip = Representation(Gzip.compress(page.document.span, level: 9), coding: "gzip")
        fields = Self.fields(ContentSecurityPolicy(script: script, style: style))
    }

    private static func fields(_ policy: ContentSecurityPolicy) -> [Field] {
        [
            ("Cache-Control", "no-cache"),
            ("Vary", "Accept-Encoding"),
            ("Content-Security-Policy", policy.text),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("X-Frame-Options", "DENY"),
            ("Permissions-Policy", denied.map { "\($0)=()" }.joined(separator: ", ")),
        ]
    }

    /// What the page never asks a browser for.
    private static let denied = [
        "camera", "display-capture", "geolocation", "hid", "microphone", "midi", "payment",
        "serial",
        "usb",
    ]
}
