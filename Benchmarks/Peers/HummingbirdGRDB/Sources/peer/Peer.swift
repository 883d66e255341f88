import ArgumentParser
import Foundation
import Hummingbird
import Logging

/// Takes sealed batches as Sojourn does, made of Hummingbird, swift-crypto, zlib, `JSONDecoder` and
/// GRDB. No sessions, no reports, no other profiles, and of the rules for JSON those that the
/// decoder keeps.
@main
struct Peer: AsyncParsableCommand {
    @Option(help: "of 127.0.0.1; 0: any that is free")
    var port: Int

    @Option(help: "folder of the database, made where it is missing")
    var data: String

    @Option(help: "id of the key that bodies are sealed with")
    var key: String

    @Option(help: "that key: 64 hex digits")
    var secret: String

    func run() async throws {
        guard let secret = [UInt8](hex: secret), secret.count == 32 else {
            throw ValidationError("the secret has to have 64 hex digits")
        }
        let folder = URL(filePath: data, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let store = try BatchStore(path: folder.appending(path: "peer.db").path)
        let routes = BatchRoutes(
            key: ContentKey(id: key, secret: secret), devices: try DeviceHash(folder: folder),
            writer: BatchWriter(store: store))

        let router = Router()
        routes.add(to: router)
        var logger = Logger(label: "peer")
        logger.logLevel = .warning
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                FileHandle.standardError.write(Data("listening on 127.0.0.1:\(port)\n".utf8))
            },
            logger: logger)
        try await application.runService()
        try store.close()
    }
}
