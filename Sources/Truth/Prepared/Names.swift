/// An index into `Names`; `noName` for what has none.
typealias NameID = Int32

/// Of an event without the attribute: `null` in an answer, first among equals.
let noName: NameID = -1

/// Texts by small numbers: names, values of attributes, versions. Texts are equal if their bytes are.
struct Names: Sendable {
    private(set) var texts: [String] = []
    private var ids: [ByteText: NameID] = [:]

    /// The number of a text, which stays what it is.
    mutating func id(of text: String) -> NameID {
        let key = ByteText(text: text)
        if let id = ids[key] { return id }
        let id = NameID(texts.count)
        texts.append(text)
        ids[key] = id
        return id
    }

    subscript(id: NameID) -> String? { id == noName ? nil : texts[Int(id)] }

    /// By the bytes of UTF-8, none before all.
    func precedes(_ a: NameID, _ b: NameID) -> Bool {
        guard a != noName, b != noName else { return a == noName && b != noName }
        return a != b && texts[Int(a)].utf8.lexicographicallyPrecedes(texts[Int(b)].utf8)
    }

    /// Takes in the texts of others.
    /// - Returns: what their numbers are here
    mutating func merge(_ other: Names) -> Renaming {
        Renaming(ids: other.texts.map { id(of: $0) })
    }
}

/// What the numbers of other `Names` are here.
struct Renaming: Sendable {
    fileprivate let ids: [NameID]

    subscript(id: NameID) -> NameID { id == noName ? noName : ids[Int(id)] }
}
