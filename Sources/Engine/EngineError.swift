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

    /// Whether what was to be done may have been.
    package var mayBeDone: Bool {
        switch kind {
        case .timeout, .status, .cut: true
        case .exception: Self.unclear.contains(code ?? 0)
        case .refused, .schema, .stranger, .interrupted: false
        }
    }

    /// The time was over, a connection to others was, or an insert's end is not known.
    private static let unclear: Set<Int> = [159, 209, 210, 319]

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
    /// There is no such user, or not with that password.
    private static let ofUsers: Set<Int> = [192, 193, 194, 516]
    /// The user may not do it.
    private static let ofRights: Set<Int> = [291, 497]

    /// What an answer says that is not 200: the first line of the engine's text.
    /// - Parameter parts: the text ends before any of these
    init(status answer: HTTPAnswer, origin: String, without parts: [String]) {
        let text = EngineText.firstLine(of: answer.body, before: parts)
        let field = answer.field("X-ClickHouse-Exception-Code").flatMap { Int($0) }
        let code = field ?? EngineText.code(of: text)
        if code == nil {
            self.init(
                .status,
                "engine \(origin): status \(answer.status)"
                    + (text.isEmpty ? "" : ", \(text)"))
        } else {
            let isUser = code.map { Self.ofUsers.contains($0) } ?? false
            let advice =
                if isUser {
                    "; look at forward-user and forward-password-file"
                } else if code.map({ Self.ofRights.contains($0) }) ?? false {
                    "; forward-user needs all rights on forward-database"
                } else {
                    ""
                }
            self.init(
                isUser ? .refused : .exception, "engine \(origin): \(text)\(advice)", code: code)
        }
    }
}

/// What the engine says in words.
enum EngineText {
    /// Characters of a line that are shown: values may stand in it.
    private static let shown = 300
    /// Characters by which a statement is known.
    private static let known = 24

    /// The first line, in printable ASCII, cut before a password or where it begins to repeat a statement.
    static func firstLine(of body: [UInt8], before parts: [String]) -> String {
        var line = body.prefix { $0 != 0x0A }.prefix(shown + known)
        for part in parts where !part.isEmpty {
            if let found = line.firstRange(of: Array(part.utf8.prefix(known))) {
                line = line[..<found.lowerBound]
            }
        }
        let text = line.prefix(shown).map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }
        return String(decoding: text, as: UTF8.self)
    }

    /// `Code: 62. DB::Exception: …` of 62; nil for other texts.
    static func code(of text: String) -> Int? {
        guard text.hasPrefix("Code: ") else { return nil }
        return Int(text.dropFirst(6).prefix { $0.isASCII && $0.isNumber })
    }
}
