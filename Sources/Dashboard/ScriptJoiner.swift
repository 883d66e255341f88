/// Joins the page's modules to one script, which needs no loading: each module once, after those it imports, in the
/// order of the imports, all within one function (docs/dashboard.md, Modules).
///
/// It always makes a script; whether that is right the faults tell.
struct ScriptJoiner {
    private(set) var faults: [PageFault] = []
    /// The names of the modules, in their order.
    private(set) var order: [String] = []
    private var bodies: [UInt8] = []

    private let texts: [String: [UInt8]]
    /// Those that have been read.
    private var modules: [String: ScriptModule] = [:]
    /// Those whose imports are being followed, outermost first.
    private var open: [String] = []

    /// - Parameters:
    ///   - texts: by file name
    ///   - main: the name of the module that the page begins with
    init(_ texts: [String: [UInt8]], from main: String) {
        self.texts = texts
        visit(main, importedBy: "page.html")
        checkNames()
        for name in texts.keys.sorted() where modules[name] == nil {
            faults.append(.unusedModule(name))
        }
    }

    /// The whole script.
    var script: [UInt8] {
        Array("(() => {\n\"use strict\";\n".utf8) + bodies + Array("})();\n".utf8)
    }

    private mutating func visit(_ name: String, importedBy importer: String) {
        if let start = open.firstIndex(of: name) {
            faults.append(.cycle(open[start...] + [name]))
            return
        }
        guard modules[name] == nil else { return }
        guard let text = texts[name] else {
            faults.append(.missingModule(name, importedBy: importer))
            return
        }
        let module = ScriptModule(name, text)
        modules[name] = module
        open.append(name)
        for used in module.imports { visit(used.file, importedBy: name) }
        open.removeLast()
        order.append(name)
        faults += module.faults
        bodies += module.body
    }

    private mutating func checkNames() {
        var homes: [String: [String]] = [:]
        for module in order.compactMap({ modules[$0] }) {
            for used in module.imports {
                guard let source = modules[used.file] else { continue }
                for name in used.names where !source.exports.contains(name) {
                    faults.append(
                        .unknownName(name, from: used.file, importedBy: module.name))
                }
            }
            for name in module.declared { homes[name, default: []].append(module.name) }
        }
        for (name, modules) in homes.sorted(by: { $0.key < $1.key }) where modules.count > 1 {
            faults.append(.repeatedName(name, in: modules))
        }
    }
}
