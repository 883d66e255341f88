import JSON
import Sealing

/// Reads `KeyValue` and `AnyValue` in JSON (the protobuf JSON mapping, as OTLP/HTTP has it).
struct JSONValues: ~Copyable {
    private let keyValueNames: Interner
    private let anyValueNames: Interner
    private let listNames: Interner
    /// A text without its escapes.
    var scratch: [UInt8] = []
    /// Room for it that is kept for the next request.
    private static let keptScratch = 1 << 14
    /// No name of a known member is longer, in bytes; an escape makes six of one.
    private static let maxNameLength = 32

    private enum KeyValue {
        static let key = 0
        static let value = 1
    }

    private enum AnyValue {
        static let string = 0
        static let bool = 1
        static let int = 2
        static let double = 3
        static let array = 4
        static let kvlist = 5
        static let bytes = 6
    }

    init(hash: TextHash) {
        keyValueNames = Interner(hash: hash, fixed: ["key", "value"])
        anyValueNames = Interner(
            hash: hash,
            fixed: [
                "stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue",
                "bytesValue",
            ])
        listNames = Interner(hash: hash, fixed: ["values"])
    }

    /// The index of a member's name among known ones; -1 if it is none of them.
    @inline(__always)
    mutating func index(
        of name: Name, in known: borrowing Interner, _ bytes: Span<UInt8>
    ) -> Int {
        known.index(of: name, bytes, longest: Self.maxNameLength, &scratch)
    }

    /// Overwrites the last text that was read without its escapes, which may have been a device's id.
    mutating func forget() {
        scratch.overwrite()
        if scratch.count > Self.keptScratch { scratch = [] }
    }

    /// Where a text stands: in `bytes`, or made without its escapes.
    func slot(
        of text: Text, _ bytes: Span<UInt8>, in attributes: inout ReadAttributes
    ) -> TextSlot {
        guard text.hasEscapes else { return TextSlot(start: text.start, end: text.end) }
        let start = attributes.made.count
        text.unescape(bytes, appendingTo: &attributes.made)
        return TextSlot(start: start, end: attributes.made.count, isMade: true)
    }

    /// All elements of an array of `KeyValue` whose beginning was read.
    mutating func readAttributes(
        _ scanner: inout Scanner, _ bytes: Span<UInt8>, into attributes: inout ReadAttributes
    ) throws(Malformed) {
        while try scanner.element(bytes) {
            guard try scanner.value(bytes).kind == .object else { throw scanner.wrongForm }
            var key = TextSlot()
            var value = ReadValue()
            while let name = try scanner.member(bytes) {
                let token = try scanner.value(bytes)
                switch keyValueNames.index(of: name, bytes, longest: Self.maxNameLength, &scratch) {
                case 0... where token.kind == .null: break
                case KeyValue.key:
                    guard let text = token.text else { throw scanner.wrongForm }
                    key = slot(of: text, bytes, in: &attributes)
                case KeyValue.value:
                    value = try readValue(token, &scanner, bytes, into: &attributes)
                default: try scanner.skipRest(of: token, bytes)
                }
            }
            attributes.append(key, value, bytes)
        }
    }

    /// The members of an `AnyValue` whose beginning was read; the last one counts.
    private mutating func readValue(
        _ token: Token, _ scanner: inout Scanner, _ bytes: Span<UInt8>,
        into attributes: inout ReadAttributes
    ) throws(Malformed) -> ReadValue {
        guard token.kind == .object else { throw scanner.wrongForm }
        var value = ReadValue()
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            let member = anyValueNames.index(of: name, bytes, longest: Self.maxNameLength, &scratch)
            guard member >= 0, token.kind != .null else {
                try scanner.skipRest(of: token, bytes)
                continue
            }
            value = ReadValue()
            switch member {
            case AnyValue.string:
                guard let text = token.text else { throw scanner.wrongForm }
                value.kind = .string
                value.text = slot(of: text, bytes, in: &attributes)
            case AnyValue.bool:
                (value.kind, value.bits) = (.bool, try bool(token, at: scanner) ? 1 : 0)
            case AnyValue.int:
                if let number = try signed(token, bytes, at: scanner) {
                    (value.kind, value.bits) = (.integer, UInt64(bitPattern: number))
                } else {
                    value.kind = .digits
                    value.text =
                        token.text.map { slot(of: $0, bytes, in: &attributes) }
                        ?? TextSlot(start: token.start, end: token.end)
                }
            case AnyValue.double:
                (value.kind, value.bits) = (
                    .double, try double(token, bytes, at: scanner).bitPattern
                )
            case AnyValue.bytes:
                value.kind = .made
                let content = try decoded(token, bytes, at: scanner)
                let start = attributes.beginValue()
                attributes.appendBase64(content.span)
                value.text = attributes.endValue(start)
            default:
                value.kind = .made
                let start = attributes.beginValue()
                try appendList(
                    member == AnyValue.kvlist, token, &scanner, bytes, to: &attributes)
                value.text = attributes.endValue(start)
            }
        }
        return value
    }

    /// Appends an `AnyValue` whose beginning was read as JSON.
    private mutating func append(
        _ token: Token, _ scanner: inout Scanner, _ bytes: Span<UInt8>,
        to attributes: inout ReadAttributes
    ) throws(Malformed) {
        guard token.kind == .object else { throw scanner.wrongForm }
        let start = attributes.made.count
        var hasValue = false
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            let member = anyValueNames.index(of: name, bytes, longest: Self.maxNameLength, &scratch)
            guard member >= 0, token.kind != .null else {
                try scanner.skipRest(of: token, bytes)
                continue
            }
            attributes.made.removeSubrange(start...)
            hasValue = true
            switch member {
            case AnyValue.string:
                guard let text = token.text else { throw scanner.wrongForm }
                let count = text.unescape(bytes, into: &scratch)
                attributes.appendString(scratch.span.extracting(0..<count))
            case AnyValue.bool: attributes.appendBool(try bool(token, at: scanner))
            case AnyValue.int:
                if let number = try signed(token, bytes, at: scanner) {
                    attributes.appendInteger(number)
                } else if let text = token.text {
                    let count = text.unescape(bytes, into: &scratch)
                    attributes.appendDigits(scratch.span.extracting(0..<count))
                } else {
                    attributes.appendDigits(bytes.extracting(token.start..<token.end))
                }
            case AnyValue.double: attributes.appendDouble(try double(token, bytes, at: scanner))
            case AnyValue.bytes:
                let content = try decoded(token, bytes, at: scanner)
                attributes.appendBytes(content.span)
            default:
                try appendList(
                    member == AnyValue.kvlist, token, &scanner, bytes, to: &attributes)
            }
        }
        if !hasValue { attributes.appendNull() }
    }

    /// Appends an `ArrayValue`, or a `KeyValueList`, whose beginning was read.
    private mutating func appendList(
        _ hasKeys: Bool, _ token: Token, _ scanner: inout Scanner, _ bytes: Span<UInt8>,
        to attributes: inout ReadAttributes
    ) throws(Malformed) {
        guard token.kind == .object else { throw scanner.wrongForm }
        let keyStart = attributes.listKeys.count
        var list = attributes.beginList()
        var isFirst = true
        if !hasKeys { attributes.append(UInt8(ascii: "[")) }
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            guard listNames.index(of: name, bytes, longest: Self.maxNameLength, &scratch) == 0,
                token.kind != .null
            else {
                try scanner.skipRest(of: token, bytes)
                continue
            }
            guard token.kind == .array else { throw scanner.wrongForm }
            while try scanner.element(bytes) {
                let element = try scanner.value(bytes)
                if hasKeys {
                    let start = attributes.beginPair(of: list)
                    let key = try readPair(element, &scanner, bytes, into: &attributes)
                    attributes.endPair(key, start, of: &list, bytes)
                } else {
                    if !isFirst { attributes.append(UInt8(ascii: ",")) }
                    isFirst = false
                    try append(element, &scanner, bytes, to: &attributes)
                }
            }
        }
        if hasKeys {
            attributes.endList(list)
            attributes.listKeys.removeSubrange(keyStart...)
        } else {
            attributes.append(UInt8(ascii: "]"))
        }
    }

    /// Appends a member of a kvlist as JSON.
    /// - Returns: its key
    private mutating func readPair(
        _ token: Token, _ scanner: inout Scanner, _ bytes: Span<UInt8>,
        into attributes: inout ReadAttributes
    ) throws(Malformed) -> TextSlot {
        guard token.kind == .object else { throw scanner.wrongForm }
        var (hasKey, hasValue) = (false, false)
        var key = TextSlot()
        let start = attributes.made.count
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            switch keyValueNames.index(of: name, bytes, longest: Self.maxNameLength, &scratch) {
            case 0... where token.kind == .null: break
            case KeyValue.key:
                guard let text = token.text else { throw scanner.wrongForm }
                if text.hasEscapes {
                    let begin = attributes.listKeys.count
                    text.unescape(bytes, appendingTo: &attributes.listKeys)
                    key = TextSlot(start: begin, end: attributes.listKeys.count, isMade: true)
                } else {
                    key = TextSlot(start: text.start, end: text.end)
                }
                // The value may come before its key.
                guard !hasValue else { break }
                attributes.appendKey(key, bytes)
                hasKey = true
            case KeyValue.value:
                try append(token, &scanner, bytes, to: &attributes)
                hasValue = true
            default: try scanner.skipRest(of: token, bytes)
            }
        }
        if !hasKey {
            let value = Array(attributes.made[start...])
            attributes.made.removeSubrange(start...)
            attributes.appendKey(key, bytes)
            attributes.append(value)
        }
        if !hasValue { attributes.appendNull() }
        return key
    }
}
