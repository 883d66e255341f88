/// ClickHouse's format `RowBinary`: rows one after another, without names, separators or an end. What a
/// number of bytes stands for follows from the column's type alone.
package enum RowBinary {
    /// Why an answer cannot be read. Offsets are in bytes from its beginning.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        /// It ends where a value of that many more bytes has to be.
        case cut(offset: Int, missing: Int)
        /// A length that is longer than any.
        case length(offset: Int)
        /// A number that none of what was asked for has.
        case value(offset: Int)

        /// One line, without anything that the answer says.
        package var description: String {
            switch self {
            case .cut(let offset, let missing):
                "the answer ends at byte \(offset), \(missing) bytes before the end of a value"
            case .length(let offset):
                "the answer has a length at byte \(offset) that cannot be"
            case .value(let offset):
                "the answer has a number before byte \(offset) that cannot be"
            }
        }
    }
}
