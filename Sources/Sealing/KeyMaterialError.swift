/// Why a key that an operator brought cannot be used. Says what to do; never holds anything of the
/// key.
package enum KeyMaterialError: Error, Equatable, CustomStringConvertible {
    case notDigits
    case wrongLength(bytes: Int, wanted: Int)
    case notPEM
    case encrypted
    /// A PEM label that is not `PRIVATE KEY`.
    case notPKCS8(label: String)
    /// PEM, DER or JWK that does not hold together.
    case damaged
    case unsupportedKey
    case unsupportedCurve
    case tooShort(bits: Int)
    case tooLong(bits: Int)
    case wrongAlgorithm(is: KeyAlgorithm, wanted: KeyAlgorithm)

    package var description: String {
        switch self {
        case .notDigits:
            "the key is neither hex nor base64url; give its octets in one of them and nothing else"
        case .wrongLength(let bytes, let wanted):
            "the key has \(bytes) octets; this profile needs exactly \(wanted)"
        case .notPEM:
            "the key is not PEM; give a PKCS#8 file that begins with -----BEGIN PRIVATE KEY-----"
        case .encrypted:
            "the key is encrypted; take its passphrase off with openssl pkcs8 -topk8 -nocrypt"
        case .notPKCS8(let label):
            "the PEM holds \(label), not PRIVATE KEY; convert it with openssl pkcs8 -topk8 -nocrypt"
        case .damaged:
            "the key is damaged; export it again"
        case .unsupportedKey:
            "the key is of another kind; use an EC key on P-256 or an RSA key"
        case .unsupportedCurve:
            "the key is on another curve; use P-256"
        case .tooShort(let bits):
            "the RSA key has \(bits) bits; use one of 2048 to 4096 bits"
        case .tooLong(let bits):
            "the RSA key has \(bits) bits, and each body would cost that much; use one of 2048 to 4096 bits"
        case .wrongAlgorithm(let found, let wanted):
            "the key is for \(found.rawValue) and not for \(wanted.rawValue); give the other --alg"
        }
    }
}
