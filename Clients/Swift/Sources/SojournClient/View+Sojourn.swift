#if canImport(SwiftUI)
public import SwiftUI

extension View {
    /// Tells that an important page was seen, each time that this view appears.
    ///
    ///     MenuView().sojournScreen("menu")
    ///
    /// - Parameter name: The page's, 1 to 128 bytes of UTF-8.
    public func sojournScreen(_ name: String) -> some View {
        onAppear { Sojourn.screen(name) }
    }
}
#endif
