/// What threads find, one behind the other.
struct Gathered<Element: Sendable>: ReportShare {
    var all: [Element] = []

    mutating func merge(_ other: Gathered) { all += other.all }
}
