/// The name of a member, and its hash.
package struct Name: Hashable, Sendable {
    package let text: Text
    /// `TextHash` of the string itself, so that names written differently but equal hash equally.
    package let hash: UInt64
}
