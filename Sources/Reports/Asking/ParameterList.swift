import Query

/// The parameters of a question as given: names and values in order, decoded, unchecked.
package struct ParameterList: Hashable, Sendable {
    /// A name and its value.
    package struct Pair: Hashable, Sendable {
        /// The name as given, compared by its bytes.
        package let name: ByteText
        /// The value as given.
        package let value: ByteText
    }

    /// The pairs in the order given.
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

    /// Pairs that were decoded from the query of a request target. Throws `invalid-parameter` for
    /// the first name or value that could not be decoded (nil), is not UTF-8, or has a NUL.
    package init(decoded: [(name: [UInt8]?, value: [UInt8]?)]) throws(ReportError) {
        var list: [Pair] = []
        for (name, value) in decoded {
            guard let name else { throw Self.undecodable(nil) }
            guard let value else { throw Self.undecodable(name) }
            list.append(try Self.checked(name, value))
        }
        pairs = list
    }

    /// The app's name as given: the service needs it before anything else, to check whether the
    /// token may read the app. Throws `missing-parameter`, or `invalid-parameter` if given twice.
    package func app() throws(ReportError) -> String {
        let given = pairs.filter { $0.name == ByteText("app") }
        guard let first = given.first else { throw .missing("app") }
        guard given.count == 1 else { throw .invalid("app", "is given more than once") }
        return first.value.string
    }

    /// A parameter's name for a `detail`: as given if it looks like a name, else "a parameter".
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
}
