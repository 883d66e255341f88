public import Foundation
public import UIKit

// As much of WebKit as the client and the sample app use.

@MainActor
public class WKFrameInfo: NSObject {
    public let isMainFrame: Bool
    public init(isMainFrame: Bool) { self.isMainFrame = isMainFrame }
}

@MainActor
public class WKScriptMessage: NSObject {
    public let body: Any
    public let frameInfo: WKFrameInfo
    public init(body: Any, frameInfo: WKFrameInfo) {
        self.body = body
        self.frameInfo = frameInfo
    }
}

@MainActor
public protocol WKScriptMessageHandler: NSObjectProtocol {
    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage)
}

@MainActor
public class WKUserContentController: NSObject {
    private var handlers: [String: any WKScriptMessageHandler] = [:]

    public func add(_ handler: any WKScriptMessageHandler, name: String) {
        precondition(handlers[name] == nil, "WebKit raises an exception here")
        handlers[name] = handler
    }

    public func removeScriptMessageHandler(forName name: String) { handlers[name] = nil }

    /// What a page posts.
    public func post(_ body: Any, name: String, isMainFrame: Bool) {
        let message = WKScriptMessage(body: body, frameInfo: WKFrameInfo(isMainFrame: isMainFrame))
        handlers[name]?.userContentController(self, didReceive: message)
    }
}

@MainActor
public class WKWebViewConfiguration: NSObject {
    public let userContentController = WKUserContentController()
}

@MainActor
public class WKWebView: UIView {
    public let configuration = WKWebViewConfiguration()
    public weak var navigationDelegate: (any WKNavigationDelegate)?

    @discardableResult
    public func loadFileURL(_ url: URL, allowingReadAccessTo folder: URL) -> WKNavigation? { nil }
}

@MainActor
public class WKNavigation: NSObject {}

@MainActor
public protocol WKNavigationDelegate: NSObjectProtocol {
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
    ) async -> WKNavigationActionPolicy
}

/// `URLRequest` is in another module on Linux.
public struct Request {
    public let url: URL?
}

@MainActor
public class WKNavigationAction: NSObject {
    public let request: Request
    public let targetFrame: WKFrameInfo?
    public init(_ url: String, targetFrame: WKFrameInfo?) {
        request = Request(url: URL(string: url))
        self.targetFrame = targetFrame
    }
}

public enum WKNavigationActionPolicy: Sendable {
    case cancel
    case allow
}
