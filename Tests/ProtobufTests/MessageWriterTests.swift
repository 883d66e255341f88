import Protobuf
import TestSupport
import Testing

@Suite("a message that is written")
struct MessageWriterTests {
    @Test("reads back as what it was made of")
    func roundTrip() throws {
        var inner = MessageWriter()
        inner.number(1, .max)
        inner.text(2, "grüße 😀")
        var writer = MessageWriter()
        for field: UInt32 in [1, 15, 16, 2047, 2048, (1 << 29) - 1] {
            writer.number(field, UInt64(field) << 20 | 1)
            writer.text(field, String(repeating: "x", count: Int(field % 400)) + "y")
            writer.message(field, inner.bytes)
        }
        var found = try fields(writer.bytes)[...]
        for field: UInt32 in [1, 15, 16, 2047, 2048, (1 << 29) - 1] {
            let (number, text, message) = (
                found.removeFirst(), found.removeFirst(), found.removeFirst()
            )
            #expect(Set([number.number, text.number, message.number]) == [field])
            #expect(number.kind == .varint && number.bits == UInt64(field) << 20 | 1)
            #expect(text.kind == .bytes && text.range.count == Int(field % 400) + 1)
            #expect(Array(writer.bytes[message.range]) == inner.bytes)
        }
        #expect(found.isEmpty)
        let parts = try fields(inner.bytes)
        #expect(parts.map(\.number) == [1, 2] && parts[0].bits == .max)
        #expect(String(decoding: inner.bytes[parts[1].range], as: UTF8.self) == "grüße 😀")
    }

    @Test(
        "has numbers of every length as short as can be",
        arguments: [1, 127, 128, 16_383, 16_384, 1 << 32, 1 << 63, .max] as [UInt64])
    func numbers(value: UInt64) {
        var writer = MessageWriter()
        writer.number(1, value)
        #expect(writer.bytes == Wire.number(1, value))
    }

    @Test("leaves out zero and empty texts, but not an empty message")
    func absent() {
        var writer = MessageWriter()
        writer.number(1, 0)
        writer.text(2, "")
        #expect(writer.bytes.isEmpty)
        writer.message(3, [])
        #expect(writer.bytes == [0x1a, 0])
    }
}
