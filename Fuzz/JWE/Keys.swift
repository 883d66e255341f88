import FuzzSupport
import Sealing
import TestSupport

/// One key of each algorithm, always the same so that a find can be repeated.
enum Keys {
    static let agreeing = key(PublishedKeys.agreeing)
    static let wrapping = key(PublishedKeys.wrapping)

    static func key(_ algorithm: KeyAlgorithm) -> PrivateKey {
        algorithm == .ecdhES ? agreeing : wrapping
    }

    private static func key(_ pem: String) -> PrivateKey {
        guard let key = try? PrivateKey(pem: Array(pem.utf8).span) else {
            expect(false, "a published key is refused")
            return PrivateKey(making: .ecdhES)
        }
        return key
    }
}
