/// A kind of device with its share of the population, as a table of values. Weights are relative;
/// the shares are near those of mobile apps in Europe.
struct Platform {
    /// A device model and who made it.
    struct Model {
        let identifier: String
        let manufacturer: String
        let weight: Int
    }

    /// `os.name`.
    let name: String
    let weight: Int
    /// `telemetry.sdk.name`.
    let sdk: String
    /// Versions of the system, newest first, with weights.
    let versions: [(name: String, weight: Int)]
    let models: [Model]
    /// How long sessions are, in percent: some platforms are used more than they are installed.
    let engagement: Int
    /// How long screens take to load, in percent of what is usual.
    let loading: Int

    private static func models(_ maker: String, _ list: [(String, Int)]) -> [Model] {
        list.map { Model(identifier: $0.0, manufacturer: maker, weight: $0.1) }
    }

    /// Every platform there is.
    static let all: [Platform] = [
        Platform(
            name: "iOS", weight: 43, sdk: "sojourn-swift",
            versions: [
                ("26.1", 12), ("26.0", 22), ("18.7", 30), ("18.6", 14), ("17.7", 12), ("16.7", 7),
                ("15.8", 3),
            ],
            models: models(
                "Apple",
                [
                    ("iPhone18,1", 7), ("iPhone17,3", 14), ("iPhone17,1", 11), ("iPhone16,2", 13),
                    ("iPhone15,4", 12), ("iPhone15,2", 11), ("iPhone14,5", 14), ("iPhone14,6", 6),
                    ("iPhone13,2", 8), ("iPhone12,1", 4),
                ]),
            engagement: 125, loading: 100),
        Platform(
            name: "Android", weight: 46, sdk: "sojourn-android",
            versions: [
                ("16", 14), ("15", 27), ("14", 23), ("13", 15), ("12", 10), ("11", 7), ("10", 4),
            ],
            models: models(
                "samsung",
                [("SM-S938B", 8), ("SM-S921B", 10), ("SM-A556B", 14), ("SM-A146P", 11)])
                + models("Google", [("Pixel 10", 4), ("Pixel 9", 6), ("Pixel 7a", 5)])
                + models("Xiaomi", [("23127PN0CG", 9), ("2312DRA50G", 8)])
                + models("motorola", [("motorola edge 50", 5)])
                + models("OnePlus", [("CPH2581", 4)]),
            engagement: 85, loading: 145),
        Platform(
            name: "iPadOS", weight: 5, sdk: "sojourn-swift",
            versions: [("26.0", 30), ("18.7", 45), ("17.7", 25)],
            models: models(
                "Apple", [("iPad14,3", 25), ("iPad13,18", 40), ("iPad16,1", 20), ("iPad8,1", 15)]),
            engagement: 140, loading: 90),
        Platform(
            name: "Windows", weight: 4, sdk: "sojourn-dotnet",
            versions: [("10.0.26100", 60), ("10.0.22631", 40)],
            models: models("Microsoft", [("Surface Pro", 60), ("Surface Laptop", 40)]),
            engagement: 60, loading: 80),
        Platform(
            name: "HarmonyOS", weight: 2, sdk: "sojourn-arkts",
            versions: [("5.0", 70), ("4.2", 30)],
            models: models("HUAWEI", [("CLS-AL00", 55), ("ALN-AL00", 45)]),
            engagement: 75, loading: 170),
    ]
}
