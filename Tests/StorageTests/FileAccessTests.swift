import Foundation
import StoreTestSupport
import Testing

@testable import Storage

/// docs/operation.md, The data directory: what others may do with it, and what the server says to that.
@Suite("who may use the data")
struct FileAccessTests {
    /// By bits of the mode: (refused, warned) where the contract says so, neither elsewhere.
    @Test("each bit of a mode is judged by itself", arguments: FileAccess.Role.allCases)
    func bits(of role: FileAccess.Role) {
        let refused: [FileAccess.Role: UInt32] = [
            .directory: 0o002, .masterKey: 0o002, .password: 0o002,
        ]
        let warned: [FileAccess.Role: UInt32] = [
            .directory: 0o075, .masterKey: 0o064, .password: 0o064, .database: 0o044,
        ]
        for mode: UInt32 in 0...0o7777 {
            let access = FileAccess(path: "/d", role: role, mode: mode, owner: 7)
            #expect(access.isRefused == (mode & (refused[role] ?? 0) != 0), "\(mode)")
            #expect(access.isWarned == (mode & (warned[role] ?? 0) != 0), "\(mode)")
            #expect(access.isPrivate == (mode & 0o077 == 0), "\(mode)")
        }
    }

    @Test(
        "a line names the path, its mode, who may do what, and the chmod that mends it",
        arguments: [
            (
                FileAccess(path: "/d", role: .directory, mode: 0o777, owner: 7),
                "data directory /d has mode 0777: its group may read, write and enter and others may "
                    + "read, write and enter it; chmod 0700 /d"
            ),
            (
                FileAccess(path: "/d/k", role: .masterKey, mode: 0o640, owner: 7),
                "master key /d/k has mode 0640: its group may read it; chmod 0600 /d/k"
            ),
            (
                FileAccess(path: "/it's here", role: .database, mode: 0o4606, owner: 7),
                "database /it's here has mode 4606: others may read and write it; "
                    + #"chmod 0600 '/it'\''s here'"#
            ),
            (
                FileAccess(path: "/d/x", role: .other, mode: 0o611, owner: 7),
                "/d/x has mode 0611: its group may execute and others may execute it; "
                    + "chmod 0600 /d/x"
            ),
        ])
    func lines(access: FileAccess, line: String) {
        #expect(access.description == line)
    }

    @Test("what is there is looked at, through symbolic links, and nothing else")
    func there() throws {
        let folder = TemporaryFolder()
        let none = DataDirectory(folder.data.path + "/none")
        #expect(none.guarded(masterKey: none.masterKey).isEmpty)
        let store = try Store.open(folder.options)
        try store.close()
        let link = folder.data.path + "/link"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: folder.data.masterKey)
        #expect(chmod(folder.data.masterKey, 0o640) == 0)
        let guarded = folder.data.guarded(masterKey: link)
        #expect(guarded.map(\.path) == [folder.data.path, link, folder.data.database])
        #expect(guarded.map(\.mode) == [0o700, 0o640, 0o600])
        #expect(guarded.map(\.role) == [.directory, .masterKey, .database])
        #expect(folder.data.guarded(masterKey: nil).map(\.role) == [.directory, .database])
    }
}
