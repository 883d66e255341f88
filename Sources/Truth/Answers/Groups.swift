/// Which row of an answer: a bucket and a name.
struct GroupKey: Hashable, Sendable {
    var bucket: Int32 = 0
    var name: NameID = noName

    /// One number instead of two: rows are looked up for every event.
    func hash(into hasher: inout Hasher) {
        hasher.combine(Int64(bucket) << 32 | Int64(UInt32(bitPattern: name)))
    }
}

/// What is counted for a row. Merged with what another has counted of other devices.
protocol Mergeable: Sendable {
    init()
    mutating func merge(_ other: Self)
}

/// Counted values by bucket and name.
struct Groups<Value: Mergeable>: Sendable {
    /// Names that a question asks for at most.
    static var limit: Int { 10_000 }

    private(set) var values: [GroupKey: Value] = [:]

    subscript(key: GroupKey) -> Value {
        get { values[key] ?? Value() }
        _modify { yield &values[key, default: Value()] }
    }

    subscript(bucket: Int, name: NameID) -> Value {
        get { self[GroupKey(bucket: Int32(bucket), name: name)] }
        _modify { yield &self[GroupKey(bucket: Int32(bucket), name: name)] }
    }

    mutating func merge(_ other: Groups, _ renaming: Renaming) {
        for (key, value) in other.values {
            self[GroupKey(bucket: key.bucket, name: renaming[key.name])].merge(value)
        }
    }

    /// By bucket, then the greatest first, then by the bytes of names; of names only the first by their
    /// sums over all buckets.
    func ranked(
        _ names: Names, by rank: (Value) -> Int
    ) -> [(bucket: Int, name: NameID, value: Value)] {
        var sums: [NameID: Int] = [:]
        for (key, value) in values { sums[key.name, default: 0] += rank(value) }
        func precedes(_ a: (NameID, Int), _ b: (NameID, Int)) -> Bool {
            a.1 == b.1 ? names.precedes(a.0, b.0) : a.1 > b.1
        }
        let kept: Set<NameID>
        if sums.count > Self.limit {
            let order = sums.map { ($0.key, $0.value) }.sorted(by: precedes)
            kept = Set(order.prefix(Self.limit).map(\.0))
        } else {
            kept = Set(sums.keys)
        }
        return values.filter { kept.contains($0.key.name) }
            .map { (bucket: Int($0.key.bucket), name: $0.key.name, value: $0.value) }
            .sorted { a, b in
                a.bucket == b.bucket
                    ? precedes((a.name, rank(a.value)), (b.name, rank(b.value)))
                    : a.bucket < b.bucket
            }
    }
}
