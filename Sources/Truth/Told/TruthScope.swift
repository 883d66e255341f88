import TimeZones

/// What is asked: an app, a range of days and how the app is set.
package struct TruthScope: Sendable {
    /// How far the events of a corrected batch may lie from what is told, in milliseconds. The distance
    /// of two events of different batches, one of them corrected, is off by as much at most.
    package static let slack: Int64 = 2000

    package var app: String
    /// Cuts the days; every question gives it as `tz`.
    package var zone: TimeZoneRules
    package var from: CivilDate
    package var to: CivilDate
    /// The app's, in milliseconds.
    package var sessionTimeout: Int64
    /// The key that sealed all batches; nil where none did.
    package var keyID: String?
    /// The profile of all batches.
    package var profile: String

    package init(
        app: String, zone: TimeZoneRules, from: CivilDate, to: CivilDate, sessionTimeout: Int64,
        keyID: String?, profile: String = "aes128gcm"
    ) {
        self.app = app
        self.zone = zone
        self.from = from
        self.to = to
        self.sessionTimeout = sessionTimeout
        self.keyID = keyID
        self.profile = profile
    }
}
