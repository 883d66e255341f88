import Testing

@testable import Dashboard

/// docs/dashboard.md, Modules.
@Suite("the joined script")
struct ScriptJoinerTests {
    private func join(_ files: [String: String]) -> (script: String, faults: [PageFault]) {
        let joiner = ScriptJoiner(files.mapValues { Array($0.utf8) }, from: "main.js")
        return (String(decoding: joiner.script, as: UTF8.self), joiner.faults)
    }

    @Test("imports go, exports become plain, and all stands in one strict function")
    func joined() {
        let (script, faults) = join([
            "main.js": "// Begins.\nimport { half } from \"./numbers.js\";\n\nhalf(2);\n",
            "numbers.js": "export function half(n) {\n  return n / 2;\n}\n",
        ])
        #expect(faults == [])
        #expect(
            script == """
                (() => {
                "use strict";
                function half(n) {
                  return n / 2;
                }
                // Begins.

                half(2);
                })();

                """)
    }

    @Test("a module comes once, after those it imports, in the order of the imports")
    func order() {
        let files = [
            "main.js": "import { b } from \"./b.js\";\nimport { c } from \"./c.js\";\n",
            "b.js": "import { d } from \"./d.js\";\nexport const b = 1;\n",
            "c.js": "import { d } from \"./d.js\";\nexport const c = 1;\n",
            "d.js": "export const d = 1;\n",
        ]
        let joiner = ScriptJoiner(files.mapValues { Array($0.utf8) }, from: "main.js")
        #expect(joiner.order == ["d.js", "b.js", "c.js", "main.js"])
        #expect(joiner.faults == [])
    }

    @Test(
        "functions, classes and constants are exported",
        arguments: [
            ("function a() {}", "a"), ("async function a$() {}", "a$"),
            ("function* _a() {}", "_a"), ("class A {}", "A"), ("const a1 = 1;", "a1"),
        ])
    func exports(declaration: String, name: String) {
        let module = ScriptModule("x.js", Array("export \(declaration)".utf8))
        #expect(module.faults == [])
        #expect(module.exports == [name] && module.declared == [name])
        #expect(module.body == Array("\(declaration)\n".utf8))
    }

    @Test(
        "no other export is understood",
        arguments: [
            "export default function a() {}", "export { a };", "export * from \"./b.js\";",
            "export let a = 1;", "export var a = 1;", "export  const a = 1;",
            "  export const a = 1;",
            "export const { a } = b;", "export", "export const [a] = b;",
        ])
    func noExport(line: String) {
        let module = ScriptModule("x.js", Array(line.utf8))
        #expect(module.faults == [.malformedExport(line: line, in: "x.js")])
        #expect(module.body == [])
    }

    @Test(
        "imports are read",
        arguments: [
            ("import { a } from \"./b.js\";", ["a"], "b.js"),
            (
                "import { a, $b, c_1 } from \"./time-zones.js\";", ["a", "$b", "c_1"],
                "time-zones.js"
            ),
        ])
    func imports(line: String, names: [String], file: String) {
        let module = ScriptModule("x.js", Array(line.utf8))
        #expect(module.faults == [])
        #expect(module.imports == [.init(names: names, file: file)])
        #expect(module.body == [])
    }

    @Test(
        "no other import is understood",
        arguments: [
            "import a from \"./b.js\";", "import * as a from \"./b.js\";", "import \"./b.js\";",
            "import { a as c } from \"./b.js\";", "import { a } from './b.js';",
            "import { a } from \"b.js\";", "import { a } from \"../b.js\";",
            "import { a } from \"./c/b.js\";", "import { a } from \"./b.js\"",
            "import { a, } from \"./b.js\";", "import { a c } from \"./b.js\";",
            "import {a} from \"./b.js\";", "import { } from \"./b.js\";",
            "import {} from \"./b.js\";", " import { a } from \"./b.js\";",
            "import(\"./b.js\");", "import { a } from \"./b.js\"; // b", "import", "import {",
            "import { a } from \"./\";", "import { a } from \"./b.js\" with { type: \"json\" };",
        ])
    func noImport(line: String) {
        let module = ScriptModule("x.js", Array(line.utf8))
        #expect(module.faults == [.malformedImport(line: line, in: "x.js")])
        #expect(module.imports == [] && module.body == [])
    }

    @Test("words that begin like import and export, and comments, are none")
    func others() {
        let text =
            "/* import { a } from \"./a.js\";\nexport default 1\n */\n"
            + "importance();\nexporter = 1;\n// import x\n"
        let module = ScriptModule("x.js", Array(text.utf8))
        #expect(module.faults == [] && module.imports == [] && module.exports == [])
        #expect(module.body == Array(text.utf8))
    }

    @Test("imports stand at the top, after comments alone")
    func late() {
        let line = "import { a } from \"./b.js\";"
        for before in ["", "// One.\n\n", "/*\n * Two.\n */\n", "/* Three. */\n"] {
            let module = ScriptModule("x.js", Array((before + line).utf8))
            #expect(module.faults == [] && module.imports.count == 1, "\(before)")
        }
        let module = ScriptModule("x.js", Array("const b = 1;\n\(line)\n".utf8))
        #expect(module.faults == [.lateImport(line: line, in: "x.js")])
    }

    @Test("what cannot be joined is told")
    func faults() {
        #expect(join([:]).faults == [.missingModule("main.js", importedBy: "page.html")])
        #expect(
            join(["main.js": "import { a } from \"./a.js\";\n"]).faults
                == [.missingModule("a.js", importedBy: "main.js")])
        #expect(join(["main.js": "", "a.js": ""]).faults == [.unusedModule("a.js")])
        let circle = [
            "main.js": "import { a } from \"./a.js\";\nexport const m = 1;\n",
            "a.js": "import { b } from \"./b.js\";\nexport const a = 1;\n",
            "b.js": "import { a } from \"./a.js\";\nexport const b = 1;\n",
        ]
        #expect(join(circle).faults == [.cycle(["a.js", "b.js", "a.js"])])
        #expect(
            join(["main.js": "import { m } from \"./main.js\";\nexport const m = 1;\n"]).faults
                == [.cycle(["main.js", "main.js"])])
        #expect(
            join([
                "main.js": "import { a, b } from \"./a.js\";\n",
                "a.js": "export const a = 1;\nconst b = 2;\n",
            ]).faults == [.unknownName("b", from: "a.js", importedBy: "main.js")])
    }

    @Test("a name at the top of two modules is told, one within a function is not")
    func names() {
        let twice = [
            "main.js": "import { a } from \"./a.js\";\nlet shared = 1;\n",
            "a.js": "export const a = 1;\nfunction shared() {}\n",
        ]
        #expect(join(twice).faults == [.repeatedName("shared", in: ["a.js", "main.js"])])
        let inner = [
            "main.js": "import { a } from \"./a.js\";\nlet shared = 1;\n",
            "a.js": "export function a() {\n  const shared = 1;\n}\n",
        ]
        #expect(join(inner).faults == [])
    }
}
