/// A setting that cannot be used: exit 78 (docs/operation.md, Exit codes). The text is one line and
/// names the setting, where it came from and what would be right.
package struct SettingsError: Error, CustomStringConvertible, Equatable {
    package let description: String
}
