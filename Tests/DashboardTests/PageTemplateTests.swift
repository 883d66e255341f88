import Testing

@testable import Dashboard

@Suite("style and script within the document")
struct PageTemplateTests {
    private static let markup =
        "<head><style>/* style.css */</style></head><script>/* main.js */</script>"

    private func page(
        _ markup: String = markup, style: String = "p {}", script: String = "go();"
    ) -> PageTemplate {
        PageTemplate(
            Array(markup.utf8), style: Array(style.utf8), script: Array(script.utf8))
    }

    @Test("they take their places, whole")
    func places() {
        let made = page()
        #expect(made.faults == [])
        #expect(
            String(decoding: made.document, as: UTF8.self)
                == "<head><style>p {}</style></head><script>go();</script>")
    }

    @Test(
        "a place that is not there once is told",
        arguments: [
            ("<style></style><script>/* main.js */</script>", "/* style.css */"),
            ("<style>/* style.css */</style><script>/* main.js */ </script>", "/* main.js */"),
            ("<style>/* style.css */</style>", "/* main.js */"),
            (markup + "<script>/* main.js */</script>", "/* main.js */"),
            (markup + "<style>/* style.css */</style>", "/* style.css */"),
        ])
    func missing(markup: String, place: String) {
        #expect(page(markup).faults == [.missingPlace(place)])
    }

    @Test("a style that has a script's place gets no script")
    func nested() {
        let made = page(style: "/* main.js */")
        #expect(made.faults == [])
        #expect(String(decoding: made.document, as: UTF8.self).contains("<style>/* main.js */<"))
    }

    @Test(
        "what would end or change an element is told",
        arguments: ["\"</script>\"", "'</SCRIPT '", "'</Script", "<!-- x", "a\r\nb", "\0"])
    func script(text: String) {
        #expect(page(script: text).faults.count == 1)
        #expect(page(script: "'<script>' + '<\\/script>' + '<!' + '--'").faults == [])
    }

    @Test("the same of a style", arguments: ["</style", "a::after { content: \"</STYLE\" }", "\r"])
    func style(text: String) {
        #expect(page(style: text).faults.count == 1)
        #expect(page(style: "/* </script */").faults == [])
    }
}
