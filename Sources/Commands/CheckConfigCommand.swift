import ArgumentParser
import Service

/// `sojourn check-config`: the settings in force and where each came from.
struct CheckConfigCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Print the settings in force and where each came from.")

    @OptionGroup(title: "Settings") var settingOptions: SettingOptions
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        let origins = try invocation.settings().origins
        invocation.show(
            origins.map { origin in
                (
                    origin.name,
                    .object([
                        ("value", origin.value.map(JSONValue.setting) ?? .null),
                        ("source", .text(origin.source.description)),
                    ])
                )
            },
            text: TextTable.render(
                header: ["SETTING", "VALUE", "SOURCE"],
                lines: origins.map { [$0.name, $0.value?.written ?? "-", $0.source.description] }))
    }
}
