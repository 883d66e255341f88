/// Reads one I-JSON text (RFC 8259, RFC 7493) by pulling: each call is given the whole text, goes
/// on where the one before stopped, and hands back ranges. Everything it passes is checked: UTF-8,
/// names that stand twice, lone surrogates, U+0000, depth. It is reused: `reset` begins another
/// text.
///
///     scanner.reset(bytes)
///     if try scanner.value(bytes).kind == .object {
///         while let name = try scanner.member(bytes) { try scanner.skipValue(bytes) }
///     }
///     try scanner.finish(bytes)
///
/// After an error it is good for nothing but `reset`. A text is at most `Scanner.maxLength` bytes.
package struct Scanner: ~Copyable {
    /// Which escapes strings may have.
    package enum Escapes: Sendable {
        /// Those of scalars but for U+0000: what a batch may have.
        case storable
        /// Those of all scalars, as I-JSON has it.
        case scalars
        /// Those of all UTF-16 units, as RFC 8259 has it. `Text.unescape` makes of half of a
        /// surrogate pair three bytes that are not UTF-8.
        case units
    }

    /// How deep objects and arrays may lie unless it is told otherwise: the outermost is 1, a scalar adds
    /// none.
    package static let maxDepth = 16
    /// How many values and members' names a body may have unless `max-elements` is set (docs/operation.md, Settings).
    package static let defaultMaxElements = 1_000_000
    /// The longest text, bytes.
    package static let maxLength = Int(UInt32.max >> 2)

    /// Room for unescaping that is kept for the next text.
    private static let keptScratch = 1 << 14

    /// The offset of the next byte.
    package internal(set) var position = 0
    /// How many objects and arrays are open.
    package internal(set) var depth = 0
    /// How many values and members' names were found so far: what reading costs follows it.
    package private(set) var elements = 0
    private var maxElements = Int.max
    /// Hashes names; others may hash values with it.
    package let hash: TextHash
    let escapes: Escapes
    /// How deep objects and arrays may lie.
    let depthLimit: Int
    /// Whether what is open is an object, by depth.
    private var objects: [Bool]
    /// Nothing of the innermost object or array has come yet.
    var isFresh = true
    var names: NameSet
    /// A name without its escapes.
    var scratch: [UInt8] = []

    /// - Parameter depthLimit: how deep objects and arrays may lie
    package init(
        hash: TextHash = .process, escapes: Escapes = .storable, depthLimit: Int = maxDepth
    ) {
        self.depthLimit = depthLimit
        names = NameSet(depthLimit: depthLimit)
        objects = Array(repeating: false, count: depthLimit + 1)
        self.hash = hash
        self.escapes = escapes
    }

    /// Begins another text, or a value within one.
    /// - Parameters:
    ///   - start: the offset at which it begins
    ///   - maxElements: how many values and members' names it may have
    /// - Throws: `Malformed` if a text begins with a byte order mark.
    package mutating func reset(
        _ bytes: Span<UInt8>, from start: Int = 0, maxElements: Int = .max
    ) throws(Malformed) {
        precondition(bytes.count <= Scanner.maxLength && start >= 0)
        position = start
        depth = 0
        elements = 0
        self.maxElements = maxElements
        isFresh = true
        names.reset()
        if scratch.count > Scanner.keptScratch { scratch = [] }
        if start == 0, bytes.count >= 3, bytes[0] == 0xef, bytes[1] == 0xbb, bytes[2] == 0xbf {
            throw Malformed(offset: 0, rule: .byteOrderMark)
        }
    }

    /// The next value: the text's own, one after a member's name, or one of an array where
    /// `element` said that there is one.
    package mutating func value(_ bytes: Span<UInt8>) throws(Malformed) -> Token {
        try countElement()
        switch try nextByte(bytes) {
        case UInt8(ascii: "\""):
            position &+= 1
            let text = try string(bytes)
            return Token(
                text.hasEscapes ? .escapedString : .string, start: text.start, end: text.end)
        case UInt8(ascii: "{"):
            try open(object: true)
            return Token(.object, start: position &- 1, end: position)
        case UInt8(ascii: "["):
            try open(object: false)
            return Token(.array, start: position &- 1, end: position)
        case UInt8(ascii: "t"):
            return try word("true", .true, bytes)
        case UInt8(ascii: "f"):
            return try word("false", .false, bytes)
        case UInt8(ascii: "n"):
            return try word("null", .null, bytes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try number(bytes)
        default: throw Malformed(offset: position, rule: .syntax)
        }
    }

    /// The name of the innermost object's next member; its value comes next.
    /// - Returns: nil when the object ends; it is then closed.
    package mutating func member(_ bytes: Span<UInt8>) throws(Malformed) -> Name? {
        var next = try nextByte(bytes)
        if next == UInt8(ascii: "}") {
            position &+= 1
            close()
            return nil
        }
        if !isFresh {
            guard next == UInt8(ascii: ",") else {
                throw Malformed(offset: position, rule: .syntax)
            }
            position &+= 1
            next = try nextByte(bytes)
        }
        isFresh = false
        guard next == UInt8(ascii: "\"") else { throw Malformed(offset: position, rule: .syntax) }
        try countElement()
        let quote = position
        position &+= 1
        let text = try string(bytes)
        let hash =
            text.hasEscapes
            ? unescapedHash(text, bytes) : self.hash.hash(bytes, text.start, text.end)
        guard names.insert(text, hash: hash, depth: depth, bytes) else {
            throw Malformed(offset: quote, rule: .duplicate)
        }
        guard try nextByte(bytes) == UInt8(ascii: ":") else {
            throw Malformed(offset: position, rule: .syntax)
        }
        position &+= 1
        return Name(text: text, hash: hash)
    }

    /// Whether the innermost array has another element; its value comes next.
    /// - Returns: false when the array ends; it is then closed.
    package mutating func element(_ bytes: Span<UInt8>) throws(Malformed) -> Bool {
        let next = try nextByte(bytes)
        if next == UInt8(ascii: "]") {
            position &+= 1
            close()
            return false
        }
        if !isFresh {
            guard next == UInt8(ascii: ",") else {
                throw Malformed(offset: position, rule: .syntax)
            }
            position &+= 1
        }
        isFresh = false
        return true
    }

    /// The value was the last: nothing but white space follows.
    package mutating func finish(_ bytes: Span<UInt8>) throws(Malformed) {
        skipSpace(bytes)
        guard position == bytes.count else { throw Malformed(offset: position, rule: .trailing) }
    }

    /// Checks the next value whole and steps over it.
    package mutating func skipValue(_ bytes: Span<UInt8>) throws(Malformed) {
        try skipRest(of: try value(bytes), bytes)
    }

    /// Checks what is left of a value whose beginning was read and steps over it.
    package mutating func skipRest(of token: Token, _ bytes: Span<UInt8>) throws(Malformed) {
        guard token.kind == .object || token.kind == .array else { return }
        let outside = depth - 1
        while depth > outside {
            // An inner object or array is gone into by going round again.
            if isInObject {
                if try member(bytes) != nil { _ = try value(bytes) }
            } else {
                if try element(bytes) { _ = try value(bytes) }
            }
        }
    }

    @inline(__always)
    private mutating func countElement() throws(Malformed) {
        elements &+= 1
        guard elements <= maxElements else { throw Malformed(offset: position, rule: .elements) }
    }

    private mutating func open(object: Bool) throws(Malformed) {
        guard depth < depthLimit else { throw Malformed(offset: position, rule: .depth) }
        position &+= 1
        depth &+= 1
        isFresh = true
        objects[depth] = object
        if object { names.open() }
    }

    /// What is open innermost is an object.
    private var isInObject: Bool {
        objects[depth]
    }

    private mutating func close() {
        if isInObject { names.close() }
        depth &-= 1
        isFresh = false
    }

    /// The next byte that is no white space; `position` is on it.
    @inline(__always)
    private mutating func nextByte(_ bytes: Span<UInt8>) throws(Malformed) -> UInt8 {
        if position < bytes.count {
            let byte = bytes[unchecked: position]
            if byte > 0x20 { return byte }
            skipSpace(bytes)
            if position < bytes.count { return bytes[unchecked: position] }
        }
        throw Malformed(offset: position, rule: .truncated)
    }

    @inline(never)
    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0a, 0x0d, 0x09: position += 1
            default: return
            }
        }
    }

    @inline(never)
    private mutating func word(
        _ word: StaticString, _ kind: Token.Kind, _ bytes: Span<UInt8>
    ) throws(Malformed) -> Token {
        let start = position
        for index in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count else {
                throw Malformed(offset: position, rule: .truncated)
            }
            guard bytes[position] == word.utf8Start[index] else {
                throw Malformed(offset: position, rule: .syntax)
            }
            position += 1
        }
        return Token(kind, start: start, end: position)
    }

    @inline(never)
    private mutating func unescapedHash(_ text: Text, _ bytes: Span<UInt8>) -> UInt64 {
        let count = text.unescape(bytes, into: &scratch)
        return scratch.withUnsafeBufferPointer { hash.hash($0.span, 0, count) }
    }
}
