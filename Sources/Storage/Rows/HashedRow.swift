/// A row id, and the hash of the row's texts as `BatchDigest` takes it.
package struct HashedRow {
    package let code: Int64
    package let hash: UInt64
}
