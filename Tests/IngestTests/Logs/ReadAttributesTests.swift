import Testing

@testable import Ingest

/// Buffers that are used again for the next record.
@Suite("the attributes of the record before")
struct ReadAttributesTests {
    @Test("leave no text that was made of them, which may have been a device's id")
    func overwritten() {
        var attributes = ReadAttributes()
        let id = Array("secret".utf8)
        let none: [UInt8] = []
        for forgets in [false, true] {
            attributes.made += id
            attributes.append(
                TextSlot(start: 0, end: id.count, isMade: true), ReadValue(), none.span)
            attributes.arrange(none.span)
            #expect(attributes.order.count == 1)
            if forgets { attributes.forget() } else { attributes.reset() }
            #expect(attributes.made.isEmpty && attributes.order.isEmpty)
            #expect(attributes.made.capacity >= id.count)
            let left = attributes.made.withUnsafeBytes { bytes in
                Array(UnsafeRawBufferPointer(start: bytes.baseAddress, count: id.count))
            }
            #expect(left.allSatisfy { $0 == 0 })
        }
    }

    @Test("keep no more room than the next one is likely to need")
    func room() {
        var attributes = ReadAttributes()
        let text = [UInt8](repeating: 0x61, count: 1 << 20)
        attributes.made += text
        attributes.listKeys += text
        attributes.reset()
        #expect(attributes.made.capacity < 1 << 16 && attributes.listKeys.capacity < 1 << 16)
    }
}
