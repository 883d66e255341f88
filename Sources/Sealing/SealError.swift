/// A body that cannot be opened. One case for every way to fail, so that nobody learns which it was
/// (docs/protocol.md, The answer: `undecodable`).
package enum SealError: Error {
    case undecodable
}
