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
        var rest: [String] = []
        var given: [String: [String]] = [:]
        var config: String?
        var json = false
        var at = arguments.startIndex
        while at < arguments.endIndex {
            let argument = arguments[at]
            at += 1
            if argument == "--" {
                rest += arguments[(at - 1)...]
                break
            }
            if argument == "--json" {
                json = true
                continue
            }
            guard let (name, inline) = Self.setting(argument) else {
                rest.append(argument)
                continue
            }
            let value: String
            if let inline {
                value = inline
            } else if at < arguments.endIndex {
                value = arguments[at]
                at += 1
            } else {
                throw AdminFailure(.usage, "option --\(name) needs a value")
            }
            if name == "config" { config = value } else { given[name, default: []].append(value) }
        }
        self.arguments = rest
        wantsJSON = json
        self.given = given
        configFile = config
        self.environment = environment
        self.output = output
        self.errors = errors
    }

    /// `--name` or `--name=value` of a setting.
    private static func setting(_ argument: String) -> (name: String, value: String?)? {
        guard argument.hasPrefix("--") else { return nil }
        let parts = argument.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first.map(String.init),
            name == "config" || Setting.byName[name] != nil
        else { return nil }
        return (name, parts.count > 1 ? String(parts[1]) : nil)
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
