import Core

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The id that the apps of a group share: one file in the group's container (client.md §3). It is read and
/// made without a lock, for which the system would end an app that is suspended: a file is written under a
/// name of its own and then gets this one, whole.
struct GroupFolder {
    private static let name = "id"

    private let disk: FolderDisk

    /// - Parameter protect: Called with the folder when it was made, or found at the beginning.
    init(_ path: String, protect: @escaping @Sendable (String) -> Void) {
        disk = FolderDisk(path, protect: protect)
    }

    /// The group's id, which `own` becomes where there is none: of several that are offered at a time one
    /// stands.
    func id(orMake own: String) throws(DiskFailure) -> String {
        if let id = try id() { return id }
        if try put(own, isFirst: true) { return own }
        if let id = try id() { return id }
        // What stands there is no id.
        try replace(with: own)
        return own
    }

    /// The group has this id from now on.
    func replace(with id: String) throws(DiskFailure) { _ = try put(id, isFirst: false) }

    /// The id; nil where there is none.
    private func id() throws(DiskFailure) -> String? {
        guard let bytes = try disk.content(Self.name) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return RandomID.isText(text) ? text : nil
    }

    /// - Parameter isFirst: Whether nothing may stand there yet.
    /// - Returns: false where something does.
    private func put(_ id: String, isFirst: Bool) throws(DiskFailure) -> Bool {
        let own = "id-" + id
        try disk.makeFolder()
        try disk.replace(own, with: Array(id.utf8))
        defer { _ = disk.remove(own) }
        let (from, to) = (disk.path + "/" + own, disk.path + "/" + Self.name)
        if (isFirst ? link(from, to) : rename(from, to)) == 0 { return true }
        if isFirst, errno == EEXIST { return false }
        throw DiskFailure("cannot write the group's id: \(String(cString: strerror(errno)))")
    }
}
