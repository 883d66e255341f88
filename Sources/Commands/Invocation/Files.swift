import Glibc
import Service

/// Reading whole small files: settings, secrets, batches.
enum Files {
    /// Larger ones are refused: nothing that a command reads is.
    static let limit = 64 << 20

    /// The file's bytes, nil where there is none.
    static func contents(of path: String) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw AdminFailure(.io, "cannot open \(path): \(reason(errno)); \(advice)")
        }
        defer { close(descriptor) }
        return try readAll(descriptor, name: path)
    }

    /// All that comes from standard input.
    static func standardInput() throws -> [UInt8] {
        try readAll(STDIN_FILENO, name: "standard input")
    }

    /// A named file, or standard input for `-`.
    static func input(_ path: String) throws -> [UInt8] {
        if path == "-" { return try standardInput() }
        guard let bytes = try contents(of: path) else {
            throw AdminFailure(.io, "cannot open \(path): no such file; \(advice)")
        }
        return bytes
    }

    /// The same without the byte order mark that editors on Windows put before a text.
    static func text(_ path: String) throws -> [UInt8] {
        let bytes = try input(path)
        return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    /// Throws what reading it would.
    static func checkReadable(_ path: String) throws {
        guard access(path, R_OK) != 0 else { return }
        throw AdminFailure(.io, "cannot open \(path): \(reason(errno))")
    }

    private static func readAll(_ descriptor: Int32, name: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw AdminFailure(.io, "cannot read \(name): \(reason(errno)); \(advice)")
            }
            bytes += piece[..<count]
            if bytes.count > limit {
                throw AdminFailure(.dataError, "\(name) is larger than 64 MiB; \(advice)")
            }
        }
    }

    private static let advice = "name a file that can be read"

    private static func reason(_ code: Int32) -> String {
        String(cString: strerror(code)).lowercased()
    }
}
