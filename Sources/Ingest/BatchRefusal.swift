import Events

/// Why a whole batch is refused (docs/protocol.md, The answer). What a client is told of each is
/// the service's table; nothing of the body is in here.
package enum BatchRefusal: Error, Equatable, Sendable {
    case unsupportedMediaType
    case unsupportedEncoding
    case unauthorized
    case forbidden
    case plainNotAllowed
    case unknownKey
    case revokedKey
    /// One for every failure to decrypt, authenticate or inflate.
    case undecodable
    case inflatedTooLarge
    /// The first broken rule of the batch.
    case rule(BatchRule)
}
