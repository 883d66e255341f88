import Glibc

/// The requests that `load --write-requests` has written: each behind its length, four octets of
/// this machine.
struct RequestFile {
    /// Head and body, as they go over the wire.
    let requests: [[UInt8]]

    /// Nil where there is no such file, or one that is cut off.
    init?(_ path: String) {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var found: [[UInt8]] = []
        var length: UInt32 = 0
        while fread(&length, 4, 1, file) == 1 {
            var request = [UInt8](repeating: 0, count: Int(length))
            guard fread(&request, 1, request.count, file) == request.count else { return nil }
            found.append(request)
        }
        requests = found
    }
}
