import Foundation
import Glibc
import StoreTestSupport
import Testing

@testable import Database

@Suite("what lies at a path is asked before it is opened")
struct FileKindTests {
    private let folder = TemporaryFolder()

    private func refusal(_ path: String) -> String? {
        failure { _ = try FileSystem.openRegular(path).read(limit: 8) }?.description
    }

    @Test("a regular file is read, also by a link to it")
    func regular() throws {
        let path = folder.path + "/file"
        try Data("text".utf8).write(to: URL(filePath: path))
        #expect(symlink(path, folder.path + "/link") == 0)
        for path in [path, folder.path + "/link"] {
            #expect(try FileSystem.openRegular(path).read(limit: 8) == Array("text".utf8))
            #expect(try FileSystem.openRegular(path).status().st_size == 4)
        }
        #expect(refusal(folder.path + "/none")?.contains("no such file") == true)
    }

    @Test("anything else is named, and not waited for")
    func others() throws {
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0 && symlink(pipe, folder.path + "/link") == 0)
        for (path, kind) in [
            (pipe, "a pipe"), (folder.path + "/link", "a pipe"), (folder.path, "a directory"),
            ("/dev/zero", "a device"),
        ] {
            #expect(refusal(path)?.contains("cannot read \(path): it is \(kind);") == true)
        }
    }
}
