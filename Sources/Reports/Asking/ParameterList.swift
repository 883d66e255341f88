/// The parameters of a question as given: names and values in order, decoded, unchecked.
package struct ParameterList: Hashable, Sendable {
    /// A name and its value.
    package struct Pair: Hashable, Sendable {
        /// As given; compare octets.
        package let name: ByteText
        /// As given.
        package let value: ByteText
    }

    /// In the order given.
    package let pairs: [Pair]

    /// Pairs that need no decoding, as a command line has them. Throws `invalid-parameter` for a
    /// NUL.
    package init(_ pairs: [(name: String, value: String)]) throws(ReportError) {
        var list: [Pair] = []
        for (name, value) in pairs {
            list.append(try Self.checked(Array(name.utf8), Array(value.utf8)))
        }
        self.pairs = list
    }

    /// What stands behind the `?` of a request target: `application/x-www-form-urlencoded` as the
    /// URL standard reads it, but that nothing is mended: an escape that is none, octets that are
    /// not UTF-8 and NUL are `invalid-parameter`.
    package init(query: [UInt8]) throws(ReportError) {
        var list: [Pair] = []
        for part in query.split(separator: UInt8(ascii: "&")) {
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            guard let name = Self.decoded(part[..<equals]) else { throw Self.undecodable(nil) }
            guard let value = Self.decoded(part[equals...].dropFirst()) else {
                throw Self.undecodable(name)
            }
            list.append(try Self.checked(name, value))
        }
        pairs = list
    }

    /// The app's name as given: what the service needs before anything else, to see whether the
    /// token is good for it. Throws `missing-parameter`, or `invalid-parameter` if given twice.
    package func app() throws(ReportError) -> String {
        let given = pairs.filter { $0.name == ByteText("app") }
        guard let first = given.first else { throw .missing("app") }
        guard given.count == 1 else { throw .invalid("app", "is given more than once") }
        return first.value.string
    }

    /// A parameter's name for a `detail`: as given if it looks like a name, else none of it.
    package static func shown(_ name: [UInt8]) -> String {
        let isName = name.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isName, (1...64).contains(name.count) else { return "a parameter" }
        return String(decoding: name, as: UTF8.self)
    }

    private static func checked(_ name: [UInt8], _ value: [UInt8]) throws(ReportError) -> Pair {
        guard !name.contains(0), isUTF8(name) else { throw undecodable(nil) }
        guard !value.contains(0), isUTF8(value) else { throw undecodable(name) }
        return Pair(name: ByteText(bytes: name), value: ByteText(bytes: value))
    }

    private static func undecodable(_ name: [UInt8]?) -> ReportError {
        .invalid(
            name.map(shown) ?? "the name of a parameter",
            "has an invalid percent-encoding, or is not UTF-8 without NUL")
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    /// What a name or a value stands for: `%XX` and `+`; nil where an escape is none.
    package static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var place = bytes.startIndex
        while place < bytes.endIndex {
            switch bytes[place] {
            case UInt8(ascii: "+"): out.append(0x20)
            case UInt8(ascii: "%"):
                guard place + 2 < bytes.endIndex, let high = nibble(bytes[place + 1]),
                    let low = nibble(bytes[place + 2])
                else { return nil }
                out.append(high << 4 | low)
                place += 2
            case let byte: out.append(byte)
            }
            place += 1
        }
        return out
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
