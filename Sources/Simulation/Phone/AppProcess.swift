import Client

/// One process of the app on a simulated device, from launch to end.
struct AppProcess {
    /// What it was launched as: another one is another process.
    let identity: AppIdentity
    let client: MemoryClient

    init(_ identity: AppIdentity, folder: MemoryFolder, phone: MemoryPhone, limits: Limits) {
        self.identity = identity
        client = MemoryClient(phone, folder: folder, limits: limits, resource: identity.resource)
    }

    /// Records what the app says, as it would call the client.
    ///
    /// - Returns: whether it is recorded.
    func say(_ said: Said) -> Bool {
        switch said.form {
        case .event(let isOwn):
            return record(said.name, Dictionary(uniqueKeysWithValues: said.attributes), isOwn)
        case .completed:
            guard case .string(let id)? = said.attributes.first?.value else { return false }
            client.take(.completed(content: id, then: { _ in }))
            return true
        case .message(let text, let contentID):
            return record(BridgeCall(message: Array(text.utf8))?.event(contentID: contentID))
        case .url(let text, let contentID):
            return record(WebPage.call(url: text)?.event(contentID: contentID))
        }
    }

    private func record(_ event: (name: String, attributes: [String: Value])?) -> Bool {
        guard let event else { return false }
        return record(event.name, event.attributes, false)
    }

    private func record(_ name: String, _ attributes: [String: Value], _ isOwn: Bool) -> Bool {
        client.take(.event(name: name, attributes: attributes, isOwn: isOwn))
        return true
    }
}
