import ArgumentParser

/// A command of the program: parsed from its own arguments, run with what all commands share.
protocol Command: ParsableCommand {
    func run(_ invocation: Invocation) throws
}
