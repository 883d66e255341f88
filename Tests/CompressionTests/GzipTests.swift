import Testing

@testable import Compression

@Suite("Gzip") struct GzipTests {
    let text = GzipCase.text

    @Test("the same content gives the same member, without name and time")
    func stable() {
        let body = Gzip.compress(text.span)
        #expect(body == Gzip.compress(text.span))
        #expect(Array(body[..<8]) == [0x1f, 0x8b, 8, 0, 0, 0, 0, 0])
    }

    @Test("every level comes back", arguments: 0...9)
    func levels(level: Int) {
        let body = Gzip.compress(text.span, level: level)
        for backend in InflateBackend.allCases {
            #expect(gunzip(body, by: backend) == .content(GzipCase.text))
        }
    }
}
