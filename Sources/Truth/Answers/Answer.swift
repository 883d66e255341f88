/// What the answer to a question must be.
struct Answer: Sendable {
    /// Parameters that are known only when all is counted.
    var parameters: [Parameter] = []
    var columns: [String]
    /// How many of the columns name a row.
    var keyCount: Int
    /// Between `time_zone` and `rows`.
    var members: [Figure.Member] = []
    var rows: [[Figure]] = []
    /// The server's rows are summed up before they are compared: by when they arrive they are spread
    /// over buckets that nobody knows before.
    var isSum = false
}
