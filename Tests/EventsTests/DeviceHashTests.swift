import Events
import Testing

@Suite("Hash of a device")
struct DeviceHashTests {
    @Test("octets, words and hex are the same thing")
    func forms() throws {
        let bytes = (0..<16).map { UInt8($0 * 17) }
        let hash = try #require(DeviceHash(bytes))
        #expect(hash.high == 0x0011_2233_4455_6677)
        #expect(hash.low == 0x8899_aabb_ccdd_eeff)
        #expect(hash.bytes == bytes)
        #expect(hash.hex == "00112233445566778899aabbccddeeff")
        #expect(DeviceHash(hex: hash.hex) == hash)
        #expect(DeviceHash(hex: hash.hex.uppercased()) == hash)
        #expect(DeviceHash(high: hash.high, low: hash.low) == hash)
    }

    @Test(
        "anything but 16 octets is none",
        arguments: [
            "", "00", "00112233445566778899aabbccddeef", "00112233445566778899aabbccddeeff0",
            "00112233445566778899aabbccddeeffff", "0011223344556677 8899aabbccddeef",
            "g0112233445566778899aabbccddeeff",
        ])
    func bad(_ hex: String) {
        #expect(DeviceHash(hex: hex) == nil)
        #expect(DeviceHash([UInt8](repeating: 0, count: hex.count == 16 ? 15 : hex.count)) == nil)
    }
}
