import Testing

@testable import Curl

@Suite("server addresses")
struct ServerAddressTests {
    @Test(
        "an address is origin and base",
        arguments: [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080", "http://127.0.0.1:8080/x", true),
            ("HTTPS://Example.org/in/", "https://Example.org", "https://Example.org/in/x", false),
            ("http://[::1]:80//", "http://[::1]:80", "http://[::1]:80/x", true),
            ("http://localhost", "http://localhost", "http://localhost/x", true),
            ("unix:/run/s.sock", "unix:/run/s.sock", "http://localhost/x", true),
        ])
    func good(text: String, origin: String, url: String, isLocal: Bool) throws {
        let address = try ServerAddress(text)
        #expect(address.origin == origin)
        #expect(address.url("/x") == url)
        #expect(address.isLocal == isLocal)
    }

    @Test(
        "what is no address is refused without repeating it",
        arguments: [
            "", "example.org", "ftp://example.org", "http://", "http:///x", "http://a b",
            "http://user:password@example.org", "http://a?b", "http://a#b", "http://ä",
            "unix:relative", "unix:/" + String(repeating: "a", count: 107), "http://a\nb",
            "file:///etc/passwd", "http://:80",
        ])
    func bad(text: String) {
        let failure = #expect(throws: AddressFailure.self) { try ServerAddress(text) }
        #expect(failure?.description.contains("password") == false)
    }
}
