"""What the page has to ask and to say, worked out once more from docs/dashboard.md and docs/reports.md, without a browser."""
