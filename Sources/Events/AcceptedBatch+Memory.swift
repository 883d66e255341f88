extension AcceptedBatch {
    /// About how many octets of memory it takes while it waits to be stored.
    package var memory: Int {
        // What the value itself, its arrays' headers and a handful of small texts come to.
        let fixed = 1024
        return fixed + text.count + events.count * MemoryLayout<AcceptedEvent>.stride
            + (names.count + attributeKeys.count) * 64 + (sessionsJSON?.count ?? 0)
    }
}
