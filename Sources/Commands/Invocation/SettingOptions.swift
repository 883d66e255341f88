import ArgumentParser
import Service

/// Every setting but `data`, which is in `SharedOptions`, as an option, made from the one table of
/// them; for help, completions and manual pages alone. The parser reads a type's options from its
/// mirror, and that is what is given here instead of properties.
struct SettingOptions: ParsableArguments, CustomReflectable {
    init() {}

    /// Nothing is left to decode: `Invocation` has taken settings out.
    init(from decoder: any Decoder) throws {
        _ = try decoder.container(keyedBy: Key.self)
    }

    func encode(to encoder: any Encoder) throws {}

    var customMirror: Mirror {
        Mirror(
            self,
            children: Setting.all.filter { $0.name != "data" }.map { setting in
                (label: setting.name, value: Self.option(setting))
            })
    }

    private static func option(_ setting: Setting) -> Any {
        let name = NameSpecification.customLong(setting.name)
        let completion = completion(setting.kind)
        return setting.isRepeatable
            ? Option<[String]>(
                wrappedValue: [], name: name, help: help(setting.name), completion: completion)
            : Option<String?>(name: name, help: help(setting.name), completion: completion)
    }

    /// The table's words, the default and the variable.
    static func help(_ name: String) -> ArgumentHelp {
        guard let setting = Setting.byName[name] else { return "" }
        let text = setting.help.prefix(1).uppercased() + setting.help.dropFirst()
        let fallback = setting.fallback.map { "; \($0) unless given" } ?? ""
        return ArgumentHelp("\(text)\(fallback). [\(setting.variable)]", valueName: value(setting))
    }

    private static func value(_ setting: Setting) -> String {
        switch setting.kind {
        case .text: "text"
        case .path: "path"
        case .address: "address"
        case .size: "size"
        case .count: "number"
        case .duration: "duration"
        case .choice: setting.name
        }
    }

    private static func completion(_ kind: SettingKind) -> CompletionKind {
        switch kind {
        case .path: .file()
        case .choice(let names): .list(names)
        case .text, .address, .size, .count, .duration: .default
        }
    }

    /// Any name is one.
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
