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
            readFile: Files.contents(of:)
        ).resolve()
    }
}

extension Invocation {
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
