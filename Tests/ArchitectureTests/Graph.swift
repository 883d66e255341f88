/// Who uses whom, with a few names for each arrow.
struct Graph {
    /// By the one that uses, then by the one that is used: `User uses Type`.
    private(set) var arrows: [String: [String: Set<String>]] = [:]

    /// What the files of one room have of each other, folder by folder.
    init(foldersOf files: [SourceFile]) {
        var homes: [String: String] = [:]
        var nested: [String: Set<String>] = [:]
        for file in files {
            for type in file.types { homes[type] = file.folder }
            nested.merge(file.nested) { $0.union($1) }
        }
        for file in files {
            // Within an extension the extended type's own types come before the room's.
            let inner = file.extended.reduce(into: Set<String>()) {
                $0.formUnion(nested[$1] ?? [])
            }
            for name in file.uses.union(file.extended) where !file.types.contains(name) {
                guard let home = homes[name], home != file.folder,
                    !file.hidden.contains(name), !inner.contains(name)
                else { continue }
                insert(from: file.folder, to: home, "\(file.name) uses \(name)")
            }
        }
    }

    init() {}

    mutating func insert(from user: String, to used: String, _ reason: String) {
        arrows[user, default: [:]][used, default: []].insert(reason)
    }

    /// Nodes that reach each other, each such knot sorted.
    var knots: [[String]] {
        let reach = Dictionary(uniqueKeysWithValues: arrows.keys.map { ($0, reachable(from: $0)) })
        var found: Set<[String]> = []
        for (node, others) in reach where others.contains(node) {
            found.insert(others.filter { reach[$0]?.contains(node) == true }.sorted())
        }
        return found.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private func reachable(from node: String) -> Set<String> {
        var seen: Set<String> = []
        var open = [node]
        while let next = open.popLast() {
            for used in (arrows[next] ?? [:]).keys where seen.insert(used).inserted {
                open.append(used)
            }
        }
        return seen
    }

    /// A line for each node that uses others: `A → B, C`.
    var lines: [String] {
        arrows.sorted { $0.key < $1.key }.map {
            "\($0.key) → \($0.value.keys.sorted().joined(separator: ", "))"
        }
    }

    /// Why the nodes of a knot hang together: up to four names for each arrow within it.
    func reasons(within knot: [String]) -> String {
        knot.flatMap { user in
            knot.compactMap { used in
                arrows[user]?[used].map { reasons in
                    "\(user) → \(used): " + reasons.sorted().prefix(4).joined(separator: ", ")
                }
            }
        }.joined(separator: "\n")
    }
}
