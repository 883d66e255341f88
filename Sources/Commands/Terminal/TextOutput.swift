import Service

/// Where a command prints.
package protocol TextOutput: Sendable {
    func write(_ text: String)
    func write(_ bytes: [UInt8])
    /// Throws where something could not be written.
    func check() throws(AdminFailure)
    /// A person looks at it: colour and progress are welcome.
    var isTerminal: Bool { get }
}
