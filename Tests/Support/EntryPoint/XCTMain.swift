import Testing

/// Runs the tests of a build by `scripts/build-tests.sh`.
@main
enum TestRun {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
