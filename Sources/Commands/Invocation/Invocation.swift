import JSON
import Service

/// What every command shares: its own arguments, and the settings and `--json` that were taken out
/// of them. Settings come from the one table, so every command takes all of them.
struct Invocation: Sendable {
    /// What is left for the command itself.
    let arguments: [String]
    let wantsJSON: Bool
    let environment: [String: String]
    let output: any TextOutput
    let errors: any TextOutput
    private let given: [String: [String]]
    private let configFile: String?

    init(
        _ arguments: [String], environment: [String: String], output: any TextOutput,
        errors: any TextOutput
    ) throws {
        let taken = try NamedValues(arguments) { $0 == "config" || Setting.byName[$0] != nil }
        let ours = taken.rest.prefix { $0 != "--" }
        self.arguments = ours.filter { $0 != "--json" } + taken.rest[ours.endIndex...]
        wantsJSON = ours.contains("--json")
        given = Dictionary(grouping: taken.pairs.filter { $0.name != "config" }, by: \.name)
            .mapValues { $0.map(\.value) }
        configFile = taken.pairs.last { $0.name == "config" }?.value
        self.environment = environment
        self.output = output
        self.errors = errors
    }

    /// Whether a person who looks at the output wants colours: on a terminal that has them, unless
    /// `NO_COLOR` is set to anything (no-color.org).
    var wantsColour: Bool {
        output.isTerminal && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"] != "dumb"
    }

    func settings() throws -> Settings {
        try SettingsResolver(
            commandLine: given, environment: environment, configFile: configFile,
            readFile: { try Files.contents(of: $0) }
        ).resolve()
    }
}

extension Invocation {
    /// The token of `--token`, else of `SOJOURN_TOKEN`; nil where neither gives one. White space around it goes, which
    /// files and clipboards put there.
    /// - Throws: a failure of kind usage where it has characters that no token has
    func token(_ option: String?) throws(AdminFailure) -> String? {
        let (text, source) =
            option.map { ($0, "--token") }
            ?? (environment["SOJOURN_TOKEN", default: ""], "SOJOURN_TOKEN")
        var token = text[...]
        while let first = token.first, Self.isAround(first) { token.removeFirst() }
        while let last = token.last, Self.isAround(last) { token.removeLast() }
        if token.isEmpty, option == nil { return nil }
        guard !token.isEmpty, token.utf8.allSatisfy(Self.isOfToken) else {
            throw AdminFailure(
                .usage,
                "\(source) is no token: one has letters, digits, - and _ alone, such as sj_…; "
                    + "give it as 'token add' printed it")
        }
        return String(token)
    }

    /// A digit of base64url.
    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// White space, or the mark that editors on Windows put before a text.
    private static func isAround(_ character: Character) -> Bool {
        character.isWhitespace || character == "\u{FEFF}"
    }

    /// One object under `--json`, people's text otherwise.
    func show(_ members: [(String, JSONValue)], text: String) {
        output.write(wantsJSON ? JSONValue.object(members).text + "\n" : text)
    }

    /// An array of objects under `--json`, an aligned table otherwise.
    func show(list: [[(String, JSONValue)]], header: [String], lines: [[String]]) {
        if wantsJSON {
            output.write(JSONValue.array(list.map(JSONValue.object)).text + "\n")
        } else {
            output.write(TextTable.render(header: header, lines: lines))
        }
    }
}
