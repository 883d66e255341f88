/// The `Bearer` scheme of an `Authorization` field (RFC 6750 §2.1).
enum BearerToken {
    /// The one token after the scheme, nil for any other form.
    static func token(in value: String) -> Substring? {
        let words = value.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return words[1]
    }
}
