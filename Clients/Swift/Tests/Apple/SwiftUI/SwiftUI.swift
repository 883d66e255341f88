// As much of SwiftUI as the client uses.

@MainActor @preconcurrency
public protocol View {}

public struct Text: View {
    public init(_ text: String) {}
}

/// A view that does something when it appears, as `appear` makes it.
public struct Appearing: View {
    let action: (() -> Void)?

    public func appear() { action?() }
}

extension View {
    public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        Appearing(action: action)
    }
}
