import Query

/// A member of an object that counts by name.
package struct NamedCount: Hashable, Sendable {
    /// Its name.
    package let name: ByteText
    /// How many.
    package let count: Int

    /// A name and how many.
    package init(_ name: ByteText, _ count: Int) {
        self.name = name
        self.count = count
    }
}
