import Curl

/// Why the engine did not do what it was asked. Its description names the server, never a password.
package struct EngineError: Error, Sendable, CustomStringConvertible {
    /// The ways in which that happens.
    package enum Kind: String, Sendable, CaseIterable {
        /// Nobody answers at that address, or not to us.
        case refused
        /// The time for it ran out.
        case timeout
        /// A status other than 200 that says nothing of the engine's.
        case status
        /// The connection ended before the answer was whole, or the answer is not what was asked for.
        case cut
        /// The engine could not do it, and says why.
        case exception
        /// Its tables are not those that this program needs.
        case schema
        /// It belongs to another master key, or is another shard than the settings say.
        case stranger
        /// The one who asked does not want it any more.
        case interrupted

        /// Those of which a node counts how often it met them.
        package static let counted: [Kind] = [
            .refused, .timeout, .status, .cut, .exception, .schema,
        ]
    }

    package let kind: Kind
    package let description: String
    /// The engine's number of an exception; nil where there is none.
    package let code: Int?

    package init(_ kind: Kind, _ description: String, code: Int? = nil) {
        self.kind = kind
        self.description = description
        self.code = code
    }

    /// What libcurl says.
    init(_ failure: HTTPFailure) {
        let kind: Kind =
            switch failure.kind {
            case .unreachable, .untrusted, .library, .unsendable: .refused
            case .timedOut: .timeout
            case .broken, .notHTTP, .tooLarge: .cut
            }
        self.init(kind, "engine \(failure.origin): \(failure.reason)")
    }

    /// Whether another replica may do it.
    package var isOfOneServer: Bool {
        switch kind {
        case .refused, .timeout, .status, .cut, .schema: true
        // A table that is only read there, memory, a replica without its keeper.
        case .exception: true
        case .stranger, .interrupted: false
        }
    }
}

extension EngineError {
    /// What an answer says that is not 200: the first line of the engine's text.
    init(status answer: HTTPAnswer, origin: String) {
        let text = EngineText.firstLine(of: answer.body)
        let field = answer.field("X-ClickHouse-Exception-Code").flatMap { Int($0) }
        let code = field ?? EngineText.code(of: text)
        if code == nil {
            self.init(
                .status,
                "engine \(origin): status \(answer.status)"
                    + (text.isEmpty ? "" : ", \(text)"))
        } else {
            self.init(.exception, "engine \(origin): \(text)", code: code)
        }
    }
}

/// What the engine says in words.
enum EngineText {
    /// Characters of a line that are shown: a statement may stand in it, and values.
    private static let shown = 300

    /// The first line, in printable ASCII, cut before what repeats a statement.
    static func firstLine(of body: [UInt8]) -> String {
        let line = body.prefix { $0 != 0x0A }.prefix(shown)
        return String(decoding: line.map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }

    /// `Code: 62. DB::Exception: …` of 62; nil for other texts.
    static func code(of text: String) -> Int? {
        guard text.hasPrefix("Code: ") else { return nil }
        return Int(text.dropFirst(6).prefix { $0.isASCII && $0.isNumber })
    }
}
