extension AcceptedBatch {
    /// About how many bytes of memory it takes while it waits to be stored.
    package var memory: Int {
        // What the value itself, its arrays' headers and a handful of small texts come to.
        let fixed = 1024
        return fixed + text.count + events.count * MemoryLayout<AcceptedEvent>.stride
            + Self.memory(of: names) + Self.memory(of: attributeKeys) + (sessionsJSON?.count ?? 0)
    }

    private static func memory(of texts: [String]) -> Int {
        var bytes = texts.count * MemoryLayout<String>.stride
        for text in texts where text.utf8.count > inlineText {
            bytes += storageHeader + text.utf8.count
        }
        return bytes
    }

    /// Bytes of a text that stand in the value itself.
    private static let inlineText = 15
    /// Bytes before the text in memory of its own.
    private static let storageHeader = 32
}
