/// What happens to how many: everything that makes phones harder than batches. All in ten thousandths.
package struct Shares: Sendable, Equatable {
    /// Devices whose clock is off, by seconds to years.
    package var wrongClocks = 600
    /// Devices whose clock is set while the app runs.
    package var setClocks = 200
    /// Days that a device is without a network.
    package var offlineDays = 300
    /// Uses of the app that end in a crash or a kill.
    package var kills = 200
    /// Requests, or answers, that get lost or are answered by somebody else.
    package var lost = 150
    /// Devices that are replaced by one with a copy of their files.
    package var copies = 100
    /// Devices whose journal holds next to nothing.
    package var tinyJournals = 200

    /// The shares that the members have of themselves.
    package init() {}
}
