/// Why there is no answer: what was tried, with whom, and how it failed. Never a secret, since
/// neither fields nor bodies are part of it.
package struct HTTPFailure: Error, Equatable, CustomStringConvertible {
    /// The ways in which there can be no answer.
    package enum Kind: Sendable, Equatable {
        /// Nobody answers at that address.
        case unreachable
        /// The connection broke before the answer was whole.
        case broken
        /// The time for it ran out.
        case timedOut
        /// The certificate or the handshake is not to be trusted.
        case untrusted
        /// What came back is not HTTP.
        case notHTTP
        /// The answer is larger than the limit.
        case tooLarge
        /// The request itself cannot be sent so.
        case unsendable
        /// libcurl could not be used at all.
        case library
    }

    /// What kind of failure it was.
    package let kind: Kind
    /// The server's origin.
    package let origin: String
    /// How it failed.
    package let reason: String

    /// One line to show: what, with whom, how it failed, what to do.
    package var description: String {
        let failure = "cannot ask \(origin): \(reason)"
        return advice.isEmpty ? failure : failure + "; " + advice
    }

    /// What the one who reads it can do.
    private var advice: String {
        switch kind {
        case .unreachable: "check the address and that the server runs"
        case .broken, .timedOut: "try again"
        case .untrusted: "check the server's certificate, or name its CA in CURL_CA_BUNDLE"
        case .notHTTP: "check that the address is a sojourn server's"
        case .tooLarge: "ask for less"
        case .unsendable, .library: ""
        }
    }
}
