import Testing

@testable import Sockets

@Suite struct ListenAddressTests {
    @Test(
        "an address of a listener is read and written alike",
        arguments: ["127.0.0.1:8080", "0.0.0.0:0", "[::1]:8080", "[::]:65535", "unix:/tmp/a b"])
    func accepts(text: String) {
        #expect(ListenAddress(text)?.description == text)
    }

    @Test("localhost is the IPv4 loopback")
    func localhost() { #expect(ListenAddress("localhost:1")?.description == "127.0.0.1:1") }

    @Test(
        "what is not an address is refused",
        arguments: [
            "", ":", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
            "127.0.0.1:-1", "127.0.0.1:+1", "example.com:80", "::1:80", "[::1]", "[::1:80",
            "[127.0.0.1]:80", "unix:", "unix:relative",
            "unix:/\(String(repeating: "a", count: 200))",
        ])
    func refuses(text: String) { #expect(ListenAddress(text) == nil) }
}
