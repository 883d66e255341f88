/// Which events a question keeps by what their batch says.
enum Filter: Sendable, Equatable {
    case everything
    case only(Dimension, String)
    /// The value with the most events in the range, by bytes the first of several: known at the end alone.
    case mostCommon(Dimension)
}
