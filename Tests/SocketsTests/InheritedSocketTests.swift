import Foundation
import Sockets
import Testing

/// What was handed over is looked at before it is listened on.
@Suite struct InheritedSocketTests {
    /// A TCP socket on a free port of 127.0.0.1.
    private func bound() -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        #expect(TestClient.with(&target) { bind(descriptor, $0, $1) } == 0)
        return descriptor
    }

    @Test("a socket that listens is taken, with its address as the settings write it")
    func listening() throws {
        let descriptor = bound()
        defer { close(descriptor) }
        #expect(listen(descriptor, 1) == 0)
        let address = try InheritedSocket(descriptor).address
        #expect(address.hasPrefix("127.0.0.1:") && !address.hasSuffix(":0"))
        #expect(ListenAddress(address)?.canonical == address)
    }

    @Test("a local socket that listens is taken by its path")
    func local() throws {
        let path = FileManager.default.temporaryDirectory.path + "/sojourn-\(UUID().uuidString)"
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer {
            close(descriptor)
            unlink(path)
        }
        var target = TestClient.unix(path)
        #expect(TestClient.with(&target) { bind(descriptor, $0, $1) } == 0)
        #expect(listen(descriptor, 1) == 0)
        #expect(try InheritedSocket(descriptor).address == "unix:\(path)")
    }

    @Test("what does not listen, takes datagrams, is a file or nothing is refused by its number")
    func others() {
        let silent = bound()
        let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        let file = open("/dev/null", O_RDONLY)
        defer { for descriptor in [silent, datagrams, file] { close(descriptor) } }
        for descriptor in [silent, datagrams, file, 1_000_000] {
            let error = #expect(throws: SocketError.self) { try InheritedSocket(descriptor) }
            #expect(error?.description.contains("descriptor \(descriptor)") == true)
        }
    }

    @Test(
        "addresses that mean the same have one text",
        arguments: [
            ("[0:0::1]:80", "[::1]:80"), ("localhost:80", "127.0.0.1:80"),
            ("127.0.0.1:080", "127.0.0.1:80"), ("unix:/a/b", "unix:/a/b"),
            ("[FE80::A]:1", "[fe80::a]:1"),
        ])
    func canonical(text: String, expected: String) {
        #expect(ListenAddress(text)?.canonical == expected)
    }
}
