import ArgumentParser
import Service

/// What every command takes. `Invocation` takes it out before a command is parsed, as it does with
/// all settings; here it stands for help, completions and manual pages.
struct SharedOptions: ParsableArguments {
    @Option(help: SettingOptions.help(SettingKeys.Text.data.setting), completion: .directory)
    var data: String?
    @Option(
        help: ArgumentHelp(
            "A JSON file with settings; /etc/sojourn/config.json unless given, if it is there. "
                + "[SOJOURN_CONFIG]",
            valueName: "path"),
        completion: .file(extensions: ["json"]))
    var config: String?
    @Flag(help: "Print one JSON value on standard output.")
    var json = false
}
