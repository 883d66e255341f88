/// The files of `Page/`, embedded.
enum PageFiles {
    /// The document, with a place for style and script each.
    static let document = PackageResources.page_html
    static let style = PackageResources.style_css
    /// Where the script begins.
    static let main = "main.js"

    /// All modules by their names. Kept by hand, in the order of the alphabet; a test compares it with the folder.
    static let modules: [String: [UInt8]] = [
        "dates.js": PackageResources.dates_js,
        "main.js": PackageResources.main_js,
    ]
}
