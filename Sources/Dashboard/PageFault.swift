/// What is wrong with the files of the page: a mistake of whoever changed them last. Tests show that there is
/// none, so nothing looks for one at the start of the program.
enum PageFault: Error, Equatable {
    /// An import of a file that is not there.
    case missingModule(String, importedBy: String)
    /// Modules that import each other in a circle, from the one that closes it.
    case cycle([String])
    /// A module that nobody imports.
    case unusedModule(String)
    /// An import that is not one line `import { a, b } from "./x.js";`.
    case malformedImport(line: String, in: String)
    /// An import after other statements.
    case lateImport(line: String, in: String)
    /// An export that is not a function, a class or a constant.
    case malformedExport(line: String, in: String)
    /// A name that the module it is imported from does not export.
    case unknownName(String, from: String, importedBy: String)
    /// A name at the top of two modules, which share one scope once they are joined.
    case repeatedName(String, in: [String])
    /// The place for style or script is not there once.
    case missingPlace(String)
    /// What would end or change its element early.
    case forbiddenText(String, in: String)
}
