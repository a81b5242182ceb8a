"""What scripts have in common that click through a page."""

import sys

import browser as browsers

wrong = []


def check(what, holds):
    if not holds:
        wrong.append(what)


def run(parts):
    """Opens the page that is named on the command line, and calls each of `parts` with the browser. A second name there
    is that of a picture of the end. Returns the exit status; prints what is wrong."""
    if browsers.program() is None:
        print("SKIPPED: there is no Chromium")
        return 0
    with browsers.Browser() as page:
        page.open(sys.argv[1])
        for part in parts:
            try:
                part(page)
            except (TimeoutError, RuntimeError, TypeError) as error:
                wrong.append(f"{part.__name__}: {error}")
        check(f"nothing complains: {page.errors}", not page.errors)
        foreign = [url for url in page.requests if not url.startswith(("file://", "about:"))]
        check(f"nothing is loaded: {foreign}", not foreign)
        if len(sys.argv) > 2:
            page.screenshot(sys.argv[2])
    for one in wrong:
        print(one)
    return 1 if wrong else 0
