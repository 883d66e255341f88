// As much of SwiftUI as the client and the sample app use.

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("no view") }
}

/// A view that is made of no others.
public protocol Primitive: View where Body == Never {}

extension Primitive {
    public var body: Never { fatalError("made of no others") }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("made of no others") }
}

@resultBuilder
public enum ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> Several {
        Several()
    }

    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

/// Views beside one another, or none.
public struct Several: Primitive {}

/// A view that does something when it appears, as `appear` makes it.
public struct Appearing: Primitive {
    let action: (() -> Void)?

    public func appear() { action?() }
}

extension View {
    public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        Appearing(action: action)
    }

    public func onChange<V: Equatable>(
        of value: V, perform action: @escaping (V) -> Void
    ) -> some View {
        Several()
    }

    public func task(
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View {
        Several()
    }

    public func navigationTitle<S: StringProtocol>(_ title: S) -> some View { Several() }
}
