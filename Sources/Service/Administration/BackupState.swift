/// How far a backup is that a server makes.
package struct BackupState: Codable, Sendable, Equatable {
    /// Which one, since the server's start.
    package let number: Int
    /// Octets of the database that are copied, and all; nought before the first.
    package var done = 0
    package var total = 0
    /// What was made, once it is whole.
    package var summary: BackupSummary?

    /// One that has just begun.
    package init(number: Int) { self.number = number }
}
