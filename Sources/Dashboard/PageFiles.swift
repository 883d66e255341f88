/// The files of `Page/`, embedded.
enum PageFiles {
    /// The document, with a place for style and script each.
    static let document = PackageResources.page_html
    static let style = PackageResources.style_css
    /// Where the script begins.
    static let main = "main.js"

    /// All modules by their names. Kept by hand, in the order of the alphabet; a test compares it with the folder.
    static let modules: [String: [UInt8]] = [
        "activepanels.js": PackageResources.activepanels_js,
        "address.js": PackageResources.address_js,
        "answers.js": PackageResources.answers_js,
        "asking.js": PackageResources.asking_js,
        "chart.js": PackageResources.chart_js,
        "dates.js": PackageResources.dates_js,
        "days.js": PackageResources.days_js,
        "dialogs.js": PackageResources.dialogs_js,
        "drawing.js": PackageResources.drawing_js,
        "elements.js": PackageResources.elements_js,
        "figures.js": PackageResources.figures_js,
        "frame.js": PackageResources.frame_js,
        "frontpanel.js": PackageResources.frontpanel_js,
        "funnelpanel.js": PackageResources.funnelpanel_js,
        "gate.js": PackageResources.gate_js,
        "header.js": PackageResources.header_js,
        "headline.js": PackageResources.headline_js,
        "headlinepanel.js": PackageResources.headlinepanel_js,
        "main.js": PackageResources.main_js,
        "needs.js": PackageResources.needs_js,
        "page.js": PackageResources.page_js,
        "panel.js": PackageResources.panel_js,
        "period.js": PackageResources.period_js,
        "place.js": PackageResources.place_js,
        "platformspanel.js": PackageResources.platformspanel_js,
        "plot.js": PackageResources.plot_js,
        "qualitypanel.js": PackageResources.qualitypanel_js,
        "questions.js": PackageResources.questions_js,
        "rankedpanels.js": PackageResources.rankedpanels_js,
        "refresher.js": PackageResources.refresher_js,
        "round.js": PackageResources.round_js,
        "saving.js": PackageResources.saving_js,
        "scale.js": PackageResources.scale_js,
        "sessionspanel.js": PackageResources.sessionspanel_js,
        "stage.js": PackageResources.stage_js,
        "staypanels.js": PackageResources.staypanels_js,
        "table.js": PackageResources.table_js,
        "token.js": PackageResources.token_js,
        "versionspanel.js": PackageResources.versionspanel_js,
        "view.js": PackageResources.view_js,
    ]
}
