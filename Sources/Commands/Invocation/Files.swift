import Database
import Glibc
import Service

/// Reading whole small files: settings, secrets, batches. No pipe is waited for but standard input and what the shell
/// hands over, and no more is read than there may be.
enum Files {
    /// Bytes of a batch, a sealed body or a truth at most.
    static let limit = 64 << 20
    /// The same of settings and of a secret.
    static let smallLimit = 1 << 20
    private static let pieceBytes = 1 << 16

    /// The file's bytes, nil where there is none.
    static func contents(of path: String, limit: Int = Files.smallLimit) throws -> [UInt8]? {
        if isHandedOver(path) { return try handedOver(path, limit: limit) }
        guard try FileSystem.status(of: path) != nil else { return nil }
        let file = try regular(path)
        guard try file.status().st_size <= limit else { throw tooLarge(path, limit) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        while true {
            let count = try file.read(into: &piece, at: bytes.count)
            bytes += piece[..<count]
            // What the system makes up as it is read has no length before.
            if bytes.count > limit { throw tooLarge(path, limit) }
            if count < piece.count { return bytes }
        }
    }

    /// A named file, or standard input for `-`.
    static func input(_ path: String, limit: Int = Files.limit) throws -> [UInt8] {
        if path == "-" { return try readAll(STDIN_FILENO, name: name(of: path), limit: limit) }
        guard let bytes = try contents(of: path, limit: limit) else {
            throw cannotOpen(path, ENOENT)
        }
        return bytes
    }

    /// What people call it.
    static func name(of path: String) -> String { path == "-" ? "standard input" : path }

    /// The text of a secret, without the byte order mark that editors on Windows put before it.
    static func text(_ path: String) throws -> [UInt8] {
        let bytes = try input(path, limit: smallLimit)
        if isUTF16(bytes) { throw notText(path, "it is UTF-16; save the file as UTF-8") }
        return bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
    }

    /// A batch as a device would post it: marks are not taken away, since the server refuses a device's too.
    static func batch(_ path: String) throws -> [UInt8] {
        let bytes = try input(path)
        if isUTF16(bytes) { throw notText(path, "it is UTF-16; save the file as UTF-8") }
        if bytes.starts(with: byteOrderMark) {
            throw notText(path, "it begins with a byte order mark; save the file as UTF-8 without")
        }
        return bytes
    }

    /// Throws what reading it would, as far as that can be known before.
    static func checkReadable(_ path: String) throws {
        if isHandedOver(path) {
            guard access(path, R_OK) == 0 else { throw cannotOpen(path, errno) }
        } else {
            let file = try regular(path)
            guard try file.status().st_size <= limit else { throw tooLarge(path, limit) }
        }
    }

    /// Opens a file that can be read to its end.
    private static func regular(_ path: String) throws(AdminFailure) -> FileDescriptor {
        do throws(StorageError) { return try FileSystem.openRegular(path) } catch {
            throw AdminFailure(error)
        }
    }

    private static func handedOver(_ path: String, limit: Int) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw cannotOpen(path, errno)
        }
        defer { close(descriptor) }
        return try readAll(descriptor, name: path, limit: limit)
    }

    /// Whether it is a descriptor that the shell has opened, as for `<(…)`: its writer is there.
    private static func isHandedOver(_ path: String) -> Bool {
        path == "/dev/stdin" || path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/")
    }

    private static func readAll(_ descriptor: Int32, name: String, limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw AdminFailure(.io, "cannot read \(name): \(reason(errno)); \(advice)")
            }
            bytes += piece[..<count]
            if bytes.count > limit { throw tooLarge(name, limit) }
        }
    }

    /// U+FEFF in UTF-8.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// By its own mark, or by the zero in what JSON begins with.
    private static func isUTF16(_ bytes: [UInt8]) -> Bool {
        let openings: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF], [0, 0x7B], [0x7B, 0]]
        return openings.contains { bytes.starts(with: $0) }
    }

    private static let advice = "name a file that can be read"

    private static func cannotOpen(_ path: String, _ code: Int32) -> AdminFailure {
        AdminFailure(.io, "cannot open \(path): \(reason(code)); \(advice)")
    }

    private static func tooLarge(_ name: String, _ limit: Int) -> AdminFailure {
        AdminFailure(.dataError, "\(name) is larger than \(limit >> 20) MiB; name a smaller one")
    }

    private static func notText(_ path: String, _ found: String) -> AdminFailure {
        AdminFailure(.dataError, "cannot use \(name(of: path)): \(found)")
    }

    private static func reason(_ code: Int32) -> String {
        String(cString: strerror(code)).lowercased()
    }
}
