#if canImport(SwiftUI)
public import SwiftUI

extension View {
    /// Tells that an important page was seen, each time that this view appears.
    ///
    ///     MenuView().sojournScreen("menu")
    public func sojournScreen(_ name: String) -> some View {
        onAppear { Sojourn.screen(name) }
    }
}
#endif
