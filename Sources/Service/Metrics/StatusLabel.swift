/// A status as a label: those that are ever sent, and one place for any other.
enum StatusLabel {
    /// In order; the last place is everything else.
    static let texts: [String] = statuses.map(String.init) + ["other"]

    private static let statuses = Set([200, 204, 304] + ProblemCode.allCases.map(\.status)).sorted()

    private static let places: [UInt8] = (100..<600).map { status in
        UInt8(statuses.firstIndex(of: status) ?? statuses.count)
    }

    static func place(of status: Int) -> Int {
        let known = status - 100
        return Int(places.indices.contains(known) ? places[known] : UInt8(statuses.count))
    }
}
