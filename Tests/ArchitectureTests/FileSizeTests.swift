import Testing

@Suite("no file of the product holds two things")
struct FileSizeTests {
    private static let most = 400

    @Test("files are of a size that one reads")
    func sizes() throws {
        let files = try Sources.swiftFiles().map { path, text in
            (path: path, lines: text.utf8.count { $0 == UInt8(ascii: "\n") })
        }
        try #require(files.count > 100)
        let lines = files.map(\.lines).sorted()
        let short = lines.count { $0 <= 25 } * 100 / lines.count
        print(
            "Sources: \(lines.count) files, median \(lines[lines.count / 2]) lines, "
                + "p90 \(lines[lines.count * 9 / 10]), \(short) % up to 25")
        for file in files {
            #expect(file.lines <= Self.most, "\(file.path) has \(file.lines) lines")
        }
    }
}
