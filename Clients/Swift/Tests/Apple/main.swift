import Foundation
import SojournClient
import SwiftUI
import UIKit
import WebKit

// An app as UIKit, SwiftUI and WebKit drive it: main APP KEY SERVER life|expiry

func post(_ name: String) {
    NotificationCenter.default.post(name: Notification.Name(name), object: nil)
}

func fail(_ reason: String) -> Never {
    print("FAIL: \(reason)")
    exit(1)
}

@MainActor
func live() async {
    post("UIApplicationDidBecomeActiveNotification")
    post("UIApplicationWillEnterForegroundNotification")
    guard let view = Text("x").sojournScreen("menu") as? Appearing else { fail("no view appears") }
    view.appear()
    view.appear()
    let web = WKWebView()
    web.addSojourn()
    let bridge = web.addSojourn(contentID: "c-1")
    let pages = web.configuration.userContentController
    pages.post(#"{"name":"content.view"}"#, name: "sojourn", isMainFrame: true)
    pages.post(#"{"name":"content.complete"}"#, name: "sojourn", isMainFrame: false)
    pages.post(7, name: "sojourn", isMainFrame: true)
    let signal = WKNavigationAction("mobile-event:scrolled.bottom", targetFrame: nil)
    guard bridge.policy(for: signal) == .cancel else { fail("a signal became a page") }
    let link = WKNavigationAction("https://example.org", targetFrame: nil)
    guard bridge.policy(for: link) == .allow else { fail("a link was stopped") }
    post("UIApplicationDidEnterBackgroundNotification")
    for _ in 0..<500 {
        let status = await Sojourn.status
        if status.accepted == 6, status.waiting == 0 { return }
        try? await Task.sleep(nanoseconds: 10_000_000)
    }
    fail("not uploaded in the background: \(await Sojourn.status)")
}

/// The server takes the connection and never answers.
@MainActor
func expire() async {
    post("UIApplicationDidBecomeActiveNotification")
    Sojourn.screen("menu")
    ProcessInfo.expiry = 0.5
    let began = ContinuousClock.now
    post("UIApplicationDidEnterBackgroundNotification")
    while await Sojourn.status.failures == 0 {
        guard began.duration(to: .now) < .seconds(2) else { fail("the attempt went on") }
        try? await Task.sleep(nanoseconds: 10_000_000)
    }
    guard began.duration(to: .now) > .milliseconds(400) else { fail("it was given up early") }
    // The app is terminated in the foreground: the end is written when the notification returns.
    post("UIApplicationDidBecomeActiveNotification")
    let before = await Sojourn.status.appended
    post("UIApplicationWillTerminateNotification")
    guard await Sojourn.status.appended == before + 1 else { fail("no end was written") }
}

let words = CommandLine.arguments
guard words.count == 5 else { fail("arguments") }
Sojourn.start(
    app: words[1], key: .aes128gcm(words[2]), server: words[3], debug: false,
    log: { print("log: \($0)") })
if words[4] == "life" { await live() } else { await expire() }
print("passed")
