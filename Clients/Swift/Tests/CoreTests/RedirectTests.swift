import Testing

@testable import Core

@Suite("Where a redirect points, in a log")
struct RedirectTests {
    @Test(
        "scheme, host, port and path are shown, and nothing else",
        arguments: [
            ("https://stats.example.org/v1/apps/shop/batches", true),
            ("HTTP://stats.example.org:8443/a-b_c.d~e%20f/", true), ("https://[::1]:8443", true),
            ("//login.example.org/", true), ("/login", true), ("/", true),
        ])
    func whole(_ location: String, _ isWhole: Bool) {
        #expect(Redirect.target(location) == location)
    }

    @Test(
        "a user, a password, a query and a fragment never are",
        arguments: [
            ("https://ann:secret@a.example/x", "https://a.example/x"),
            ("https://ann@secret@a.example", "https://a.example"),
            ("//ann:secret@a.example/x", "//a.example/x"),
            ("https://a.example/x?token=secret", "https://a.example/x…"),
            ("https://a.example?token=secret", "https://a.example…"),
            ("https://a.example/x#secret", "https://a.example/x…"),
            ("https://a.example\\\\secret", "https://a.example…"),
            ("https://a.example/x;session=secret", "https://a.example/x…"),
            ("https://a.example/,https://ann:secret@b.example/", "https://a.example/…"),
            ("/login?token=secret", "/login…"), ("https://é.example/secret", nil),
            ("https://a.éxample/secret", "https://a.…"), ("https://ann:secret@", nil),
            ("https:/ann:secret@a.example", nil), ("https:\\\\ann:secret@a.example", nil),
            ("javascript:secret", nil), ("ann:secret@a.example", nil), ("", nil),
        ] as [(String, String?)])
    func secrets(_ location: String, _ shown: String?) {
        #expect(Redirect.target(location) == shown)
    }

    @Test("no line has more than 120 bytes of it, and none that a terminal obeys")
    func bounds() {
        let long = Redirect.target("https://a.example/" + String(repeating: "x", count: 60_000))
        #expect(long?.utf8.count == Redirect.maxLength + 3)
        #expect(Redirect.target("https://a.example/\r\nverdict") == "https://a.example/…")
        #expect(Redirect.target("https://a.example/\u{1B}[2J") == "https://a.example/…")
    }
}
