import Foundation

@testable import Storage

extension TemporaryFolder {
    /// Which files of the data directory hold these octets.
    func files(with octets: [UInt8]) throws -> [String] {
        try names().filter { name in
            let path = data.path + "/" + name
            guard let content = FileManager.default.contents(atPath: path) else { return false }
            return content.range(of: Data(octets)) != nil
        }
    }

    func files(with text: String) throws -> [String] { try files(with: Array(text.utf8)) }
}
