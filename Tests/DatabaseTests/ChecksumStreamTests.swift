import Testing

@testable import Database

@Suite("the stream of checksums")
struct ChecksumStreamTests {
    @Test(
        "the stream is XXH64 of whole stripes, as others compute it",
        arguments: [
            (32, 0xcbf5_9c51_16ff_32b4), (64, 0xf7c6_7301_db67_13f0),
            (96, 0x450b_aa11_f673_9216), (128, 0x7a7f_e146_47b9_ab92),
        ] as [(Int, UInt64)])
    func vectors(count: Int, hash: UInt64) {
        var stream = ChecksumStream()
        let bytes = (0..<count).map { UInt8($0) }
        bytes.withUnsafeBytes { stream.add($0) }
        #expect(stream.value == hash)
    }

    @Test("what is short is filled up with noughts", arguments: Array(1...31))
    func padding(count: Int) {
        let bytes = (0..<count).map { UInt8($0 + 1) }
        var short = ChecksumStream()
        bytes.withUnsafeBytes { short.add($0) }
        var whole = ChecksumStream()
        (bytes + Array(repeating: 0, count: 32 - count)).withUnsafeBytes { whole.add($0) }
        #expect(short.value == whole.value)
        #expect(ChecksumStream.hash(bytes.span) != ChecksumStream.hash((bytes + [0]).span))
    }
}
