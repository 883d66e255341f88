public struct Text: Primitive {
    public init<S: StringProtocol>(_ content: S) {}
}

public struct Button: Primitive {
    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
}

public struct Toggle: Primitive {
    public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) {}
}

public struct List<Content: View>: Primitive {
    public init(@ViewBuilder content: () -> Content) {}
}

public struct NavigationView<Content: View>: Primitive {
    public init(@ViewBuilder content: () -> Content) {}
}

public struct NavigationLink<Destination: View>: Primitive {
    public init<S: StringProtocol>(_ title: S, @ViewBuilder destination: () -> Destination) {}
}
