import ArgumentParser
import Service

/// `sojourn doctor`: looks for weak spots of an installation, and changes nothing.
struct DoctorCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Look for weak spots, and say what to do.",
        discussion: """
            Looks at keys, listeners, permissions, disk, clock and limits. Give it the settings that \
            the server has. Works while a server runs.

            Exits 0 also with warnings, 65 if something is broken.
            """)

    @OptionGroup(title: "Settings") var settingOptions: SettingOptions
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        let settings = try invocation.settings()
        let findings = try Checkup(
            settings: settings, directory: Administration(settings: settings).directory,
            now: Timestamp.milliseconds
        ).findings()
        let broken = findings.count { $0.state == .broken }
        let warnings = findings.count { $0.state == .warning }
        invocation.show(
            [
                ("broken", .integer(Int64(broken))), ("warnings", .integer(Int64(warnings))),
                ("findings", .array(findings.map { .object($0.members) })),
            ],
            text: TextTable.render(
                header: ["STATE", "CHECK", "FOUND"],
                lines: findings.map { [$0.state.rawValue, $0.check, $0.detail] }))
        guard broken == 0 else {
            throw AdminFailure(.dataError, "doctor found \(broken) broken; see above")
        }
    }
}
