import Testing

/// The picture of the house, drawn from its sources: who imports whom, and within a room which folder
/// uses types of which. What is seen is names of types; a call of a method that an extension in another
/// folder adds is not.
@Suite("no room and no folder hangs in a cycle")
struct GraphTests {
    @Test("rooms form no cycle")
    func rooms() throws {
        var graph = Graph()
        let rooms = try Sources.rooms()
        for room in rooms {
            for (file, module) in try Sources.imports(of: room) where rooms.contains(module) {
                graph.insert(from: room, to: module, "\(file) imports \(module)")
            }
        }
        print("rooms:", graph.lines.joined(separator: "\n       "))
        #expect(graph.arrows.count > 5)
        for knot in graph.knots {
            Issue.record("\(knot.joined(separator: ", ")):\n\(graph.reasons(within: knot))")
        }
    }

    @Test("folders of a room form no cycle", arguments: try Sources.rooms())
    func folders(room: String) throws {
        let graph = Graph(foldersOf: try Sources.files(of: room))
        for line in graph.lines { print("\(room): \(line)") }
        for knot in graph.knots {
            Issue.record(
                "\(room): \(knot.joined(separator: ", ")):\n\(graph.reasons(within: knot))")
        }
    }

    @Test("reports ask through Queries, whatever answers")
    func reportsAsk() throws {
        let engine: Set = ["SegmentQueries", "Reading", "Interruption", "ReportAccount"]
        for file in try Sources.files(of: "Reports") {
            #expect(engine.isDisjoint(with: file.uses), "\(file.folder)/\(file.name)")
        }
    }

    @Test("code is told from comments and strings, but for what is interpolated")
    func words() {
        let source = ##"""
            // Alpha
            /* Beta /* Gamma */ Delta */ let a = "Epsilon \(Zeta("Eta \(Theta)")) \" Iota"
            let b = """
                Kappa " \(Lambda) ""
                """
            let c = #"Mu \(Nu) " \#(Xi)"# + Omicron /* Pi
            """##
        let words = SourceText(source).tokens.filter { $0.first?.isUppercase == true }
        #expect(words == ["Zeta", "Theta", "Lambda", "Xi", "Omicron"])
    }

    private func file(_ folder: String, _ source: String) -> SourceFile {
        SourceFile(source, room: "Room", folder: folder, name: "F")
    }

    private func arrows(_ files: SourceFile...) -> [String] { Graph(foldersOf: files).lines }

    @Test("a folder uses another by its types' names")
    func uses() {
        let alpha = file("A", "@frozen package struct Alpha<T> { var beta: [Beta]? }")
        let beta = file("B", "final class Beta { enum Inner {} }\ntypealias Gamma = Int")
        #expect(arrows(alpha, beta) == ["A → B"])
        #expect(arrows(file("A", "let g: Gamma = 1"), beta) == ["A → B"])
        #expect(arrows(file("A", "extension Beta {}"), beta) == ["A → B"])
        #expect(arrows(file("A", "let b = Room.Beta()"), beta) == ["A → B"])
        #expect(arrows(file("A", "// Beta\nlet text = \"Beta\""), beta) == [])
        #expect(arrows(file("A", "let b = Other.Beta()"), beta) == [])
    }

    @Test("a name of a file's own, or of what it extends, is not another folder's")
    func shadows() {
        let beta = file("B", "struct Beta {}")
        #expect(arrows(file("A", "private struct Beta {}\nlet b = Beta()"), beta) == [])
        #expect(arrows(file("A", "struct Alpha { enum Beta {}\nvar b: Beta }"), beta) == [])
        let outer = file("A", "struct Alpha { enum Beta {} }")
        #expect(arrows(outer, file("A", "extension Alpha { var b: Beta { .x } }"), beta) == [])
        // A private type of one file gives no home to the name in others.
        #expect(arrows(file("C", "fileprivate final class Beta {}"), file("A", "Beta()")) == [])
    }

    @Test("a cycle is found, and a way without one is none")
    func cycle() {
        var graph = Graph()
        for (user, used) in [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")] {
            graph.insert(from: user, to: used, "\(user)\(used)")
        }
        #expect(graph.knots == [])
        graph.insert(from: "c", to: "a", "ca")
        #expect(graph.knots == [["a", "b", "c"]])
        #expect(graph.reasons(within: ["a", "b", "c"]) == "a → b: ab\nb → c: bc\nc → a: ca")
    }
}
