import Protobuf
import TestSupport
import Testing

/// Groups are old, and stepped over whole; what is in them has to be well-formed.
@Suite("groups")
struct GroupTests {
    /// Groups one in the other, each of another number.
    private func nest(_ count: Int, _ innermost: [UInt8] = []) -> [UInt8] {
        (0..<count).reversed().reduce(innermost) { Wire.group(UInt64($1 % 20) + 1, $0) }
    }

    @Test("are stepped over with all that is in them")
    func skipped() throws {
        let content =
            Wire.number(1, .max) + Wire.fixed64(1, .max) + Wire.fixed32(1, .max)
            + Wire.bytes(1, [UInt8](repeating: 0xff, count: 300)) + nest(5, Wire.text(9, "x"))
        let found = try fields(Wire.group(7, content) + Wire.number(2, 3) + Wire.group(1, []))
        #expect(found.map(\.number) == [2] && found.map(\.bits) == [3])
    }

    @Test("an end needs its group's beginning, and is of the same number")
    func ends() {
        #expect(isMalformed(Wire.tag(1, 4)))
        #expect(isMalformed(Wire.number(1, 1) + Wire.tag(1, 4)))
        #expect(isMalformed(Wire.group(1, []) + Wire.tag(1, 4)))
        #expect(isMalformed(Wire.tag(1, 3) + Wire.tag(2, 4)))
        #expect(isMalformed(Wire.tag(1, 3) + Wire.tag(2, 3) + Wire.tag(1, 4) + Wire.tag(2, 4)))
        // In the low bits alone it is the same.
        #expect(isMalformed(Wire.tag(1, 3) + Wire.tag(1 | 1 << 28, 4)))
        #expect(!isMalformed(Wire.tag(1, 3) + Wire.tag(2, 3) + Wire.tag(2, 4) + Wire.tag(1, 4)))
    }

    @Test("one that does not end is malformed")
    func unended() {
        #expect(isMalformed(Wire.tag(1, 3)))
        #expect(isMalformed(Wire.tag(1, 3) + Wire.number(1, 1)))
        #expect(isMalformed(Wire.tag(1, 3) + Wire.group(1, [])))
        // An end that is part of a text is none.
        #expect(isMalformed(Wire.tag(1, 3) + Wire.bytes(1, Wire.tag(1, 4))))
    }

    @Test("messages and groups lie at most 100 deep", arguments: [1, 2, 50, 99, 100])
    func depth(of message: Int) {
        let room = FieldReader.maxDepth - message
        #expect(FieldReader.maxDepth == 100)
        #expect(!isMalformed(nest(room, Wire.number(1, 1)), depth: message))
        #expect(isMalformed(nest(room + 1), depth: message))
        // One after another they are no deeper.
        let many = (0..<300).flatMap { _ in nest(min(room, 3)) }
        #expect(!isMalformed(many, depth: message))
    }

    @Test("a message at depth 101 is malformed, an empty one too")
    func messageDepth() {
        #expect(!isMalformed([], depth: 100))
        #expect(!isMalformed(Wire.bytes(1, [0xff]), depth: 100))
        #expect(isMalformed([], depth: 101))
        #expect(throws: MalformedMessage()) { try FieldReader(3..<3, depth: 101) }
    }

    @Test("a hundred thousand beginnings do not use up the stack")
    func bomb() {
        #expect(isMalformed([UInt8](repeating: 0x0b, count: 100_000)))
    }
}
