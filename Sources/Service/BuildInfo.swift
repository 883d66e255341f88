/// What this program is.
package enum BuildInfo {
    package static let version = "0.1.0"
    /// The day of the version, 2026-11-21T00:00:00Z in milliseconds: no clock that is right is before.
    package static let date: Int64 = 1_795_219_200_000
}
