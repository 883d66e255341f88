import Testing

/// The tiers of tests (docs/testing.md, Tiers).
extension Tag {
    /// Of a test, or of all tests of a suite, that `make test` leaves out and `make test-long` runs: models, laws over
    /// random populations, power cuts, real engines, and whatever else takes more than a few seconds.
    @Tag package static var long: Self
}
