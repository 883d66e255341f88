/// What threads find, one after the other.
struct Concatenated<Element: Sendable>: ReportShare {
    private(set) var all: [Element] = []
    private var held: HeldBytes

    /// Without elements.
    /// - Parameter account: of the report
    init(_ account: ReportAccount) { held = HeldBytes(account) }

    mutating func append(_ element: Element) { all.append(element, &held) }

    mutating func merge(_ other: Concatenated) {
        let more = other.all.count
        if all.count + more > all.capacity { all.grow(more, &held) }
        all += other.all
    }
}
