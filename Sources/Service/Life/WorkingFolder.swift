import Glibc

/// Where relative paths begin.
package enum WorkingFolder {
    /// The path as it is from the root on.
    package static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let text = getcwd(nil, 0) else { return path }
        defer { free(text) }
        return String(cString: text) + "/" + path
    }
}
