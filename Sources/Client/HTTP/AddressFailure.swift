/// Why a text is no server's address.
package struct AddressFailure: Error, Equatable, CustomStringConvertible {
    /// What is wrong with it, as the end of a sentence.
    package let reason: String

    /// One line to show. It does not repeat the address, which may hold a password.
    package var description: String { "cannot use this server address: \(reason)" }
}
