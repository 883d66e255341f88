import SojournClient
import SwiftUI

/// A small app that tells of all it can: screens, a counter, contents, a web page, and what the user wants.
@main
struct SampleApp: App {
    init() {
        // The line that `sojourn key add --for swift` has printed.
        Sojourn.start(app: "shop", key: "k1:SECRET", server: "https://stats.example.org")
    }

    var body: some Scene {
        WindowGroup {
            NavigationView { MenuScreen() }
        }
    }
}

struct MenuScreen: View {
    @State private var photos = 0

    var body: some View {
        List {
            Button("Take a photo (\(photos))") {
                photos += 1
                Sojourn.count("photo.taken")
            }
            NavigationLink("A recipe") { RecipeScreen() }
            NavigationLink("A lesson, as a web page") { LessonScreen() }
            NavigationLink("Settings") { SettingsScreen() }
        }
        .navigationTitle("Menu")
        .sojournScreen("menu")
    }
}

/// A content of the app's own: it says itself when it is shown and read.
struct RecipeScreen: View {
    @State private var praise = ""
    private let recipe = Sojourn.content("recipe-1")

    var body: some View {
        List {
            Text("Chop, fry, stir, serve.")
            Button("I have read it") {
                // The closure comes on the main queue.
                recipe.completed { isFirst in
                    MainActor.assumeIsolated { praise = isFirst ? "Well done!" : "Once more." }
                }
            }
            Text(praise)
        }
        .navigationTitle("A recipe")
        .onAppear { recipe.viewed() }
    }
}
