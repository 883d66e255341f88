import Foundation
import SojournClient
import SwiftUI
import WebKit

/// A web page, which says itself what is read of it: lesson.html with sojourn.js.
struct LessonScreen: View {
    var body: some View {
        WebPage(contentID: "lesson-4", name: "lesson").navigationTitle("A lesson")
    }
}

/// A page of the app's bundle.
struct WebPage: UIViewRepresentable {
    let contentID: String
    let name: String

    func makeUIView(context: Context) -> WKWebView {
        let view = WKWebView()
        context.coordinator.bridge = view.addSojourn(contentID: contentID)
        view.navigationDelegate = context.coordinator
        if let page = Bundle.main.url(forResource: name, withExtension: "html") {
            view.loadFileURL(page, allowingReadAccessTo: page.deletingLastPathComponent())
        }
        return view
    }

    func updateUIView(_ view: WKWebView, context: Context) {}

    func makeCoordinator() -> Navigation { Navigation() }

    /// Keeps what pages signal by URLs from becoming pages.
    final class Navigation: NSObject, WKNavigationDelegate {
        var bridge: SojournBridge?

        func webView(
            _ webView: WKWebView, decidePolicyFor action: WKNavigationAction
        ) async -> WKNavigationActionPolicy {
            bridge?.policy(for: action) ?? .allow
        }
    }
}
