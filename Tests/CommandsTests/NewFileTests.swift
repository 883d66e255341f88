import Foundation
import Service
import Testing

@testable import Commands

/// docs/operation.md, Sending and simulating.
@Suite("the file that a truth is written to")
struct NewFileTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "sojourn-new-file-\(UUID().uuidString)").path

    private func refusal(_ path: String) -> AdminFailure? {
        do throws(AdminFailure) {
            try NewFile(path).discard()
            return nil
        } catch {
            return error
        }
    }

    @Test("only a regular file is replaced; of anything else the name stays what it was: 73")
    func kinds() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (file, pipe) = (folder + "/file", folder + "/pipe")
        let (link, dangling) = (folder + "/link", folder + "/dangling")
        try Data("old".utf8).write(to: URL(filePath: file))
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(symlink(file, link) == 0 && symlink(folder + "/none", dangling) == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        for (path, kind) in [
            (pipe, "a pipe"), (link, "a symbolic link"), (dangling, "a symbolic link"),
            (folder, "a directory"), ("/dev/zero", "a device"),
        ] {
            let error = refusal(path)
            #expect(error?.exit == .cannotCreate)
            #expect(error?.description.contains("\(path): it is \(kind)") == true)
        }
        // What is written beside it is no stranger's either.
        #expect(symlink(file, folder + "/other.new") == 0)
        #expect(refusal(folder + "/other")?.exit == .cannotCreate)
        try FileManager.default.removeItem(atPath: folder + "/other.new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == names)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "old")
        try NewFile(file).write(Array("new".utf8))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "new")
    }

    @Test("it has a name: 64", arguments: ["-", ""])
    func unnamed(_ path: String) { #expect(refusal(path)?.exit == .usage) }
}
