"""Pages with the bridge in them, in Chromium and in WebKitGTK, and apps around them as the bridge meets them."""
