/// What one question counts, device by device.
protocol Tally: Sendable {
    /// Counts a device, all of it, as the question's filter sees it.
    mutating func add(_ view: DeviceView, _ names: inout Names)

    /// Adds what another has counted of other devices.
    mutating func merge(_ other: Self, _ renaming: Renaming)

    /// What the answer must be.
    func answer(_ names: Names) -> Answer
}

extension Tally {
    /// Merges with a tally of the same question.
    mutating func merge(any other: any Tally, _ renaming: Renaming) {
        guard let other = other as? Self else { preconditionFailure("tallies of two questions") }
        merge(other, renaming)
    }
}

extension [Int] {
    /// Adds the numbers of another of the same length, each to its own.
    mutating func add(_ other: [Int]) {
        for index in other.indices { self[index] += other[index] }
    }
}
