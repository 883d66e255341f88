import Testing

/// Runs the tests of a build with `FOR_TESTS` (scripts/build-tests.sh, scripts/check.py).
@main
enum TestRun {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
