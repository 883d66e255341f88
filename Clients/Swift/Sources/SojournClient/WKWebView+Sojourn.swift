#if canImport(WebKit)
import Foundation
public import WebKit

extension WKWebView {
    /// Lets pages that include `sojourn.js` speak to the app by messages (docs/web.md). Twice is once.
    ///
    /// - Parameter contentID: The content that is shown, for pages that do not name it: 1 to 128 bytes.
    /// - Returns: The bridge. Pages that signal by URLs need it in the web view's navigation delegate:
    ///   `decisionHandler(bridge.policy(for: action))`.
    @MainActor @discardableResult
    public func addSojourn(contentID: String? = nil) -> SojournBridge {
        let bridge = SojournBridge(contentID: contentID)
        let controller = configuration.userContentController
        controller.removeScriptMessageHandler(forName: "sojourn")
        // The controller keeps the handler, which knows the bridge and no web view.
        controller.add(BridgeMessages(bridge), name: "sojourn")
        return bridge
    }
}

extension SojournBridge {
    /// ``decide(_:isMainFrame:)``, as a navigation delegate answers.
    ///
    /// - Parameter action: What the delegate was asked about.
    @MainActor
    public func policy(for action: WKNavigationAction) -> WKNavigationActionPolicy {
        guard let url = action.request.url else { return .allow }
        let isMainFrame = action.targetFrame?.isMainFrame ?? true
        return decide(url.absoluteString, isMainFrame: isMainFrame) == .handled ? .cancel : .allow
    }
}

/// Takes a page's messages.
private final class BridgeMessages: NSObject, WKScriptMessageHandler {
    private let bridge: SojournBridge

    init(_ bridge: SojournBridge) { self.bridge = bridge }

    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
    ) {
        guard let text = message.body as? String else { return }
        bridge.message(text, isMainFrame: message.frameInfo.isMainFrame)
    }
}
#endif
