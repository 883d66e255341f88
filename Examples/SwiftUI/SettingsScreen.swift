import SojournClient
import SwiftUI

/// Whether the user is counted and, in a debug build, what became of all events.
struct SettingsScreen: View {
    @State private var isCounted = Sojourn.isEnabled
    @State private var account = ""

    var body: some View {
        List {
            Toggle("Count how I use this app", isOn: $isCounted)
            Button("Forget me") { Sojourn.forget() }
            if Sojourn.isDebugBuild {
                Button("Upload now") {
                    Task {
                        await Sojourn.flush()
                        await refresh()
                    }
                }
                Text(account)
            }
        }
        .navigationTitle("Settings")
        .sojournScreen("settings")
        .onChange(of: isCounted) { Sojourn.isEnabled = $0 }
        .task { await refresh() }
    }

    private func refresh() async {
        let status = await Sojourn.status
        account = """
            \(status.appended) events: \(status.accepted) accepted, \(status.rejected) rejected, \
            \(status.dropped) dropped, \(status.deleted) deleted, \(status.waiting) waiting
            """
        // What an earlier launch has set is known now.
        isCounted = Sojourn.isEnabled
    }
}
