/// How somebody uses the app.
enum Habit: Int, CaseIterable {
    /// Tries it and leaves within days.
    case trial
    case occasional
    case regular
    case loyal

    /// Chance of a day of use, per mille.
    var dailyUse: Int { [500, 180, 520, 860][rawValue] }
    /// Chance to leave for good after a day, per mille.
    var leaving: Int { [300, 14, 8, 3][rawValue] }
    /// Sessions on a day of use, at most.
    var sessions: Int { [2, 2, 3, 5][rawValue] }
}
