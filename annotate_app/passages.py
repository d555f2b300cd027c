"""A passage that somebody marked on the screen, found again in the response as it is stored."""

import re

LONGEST_PASSAGE = 5000
# What may stand between two words of a response where the screen shows nothing or white space.
BETWEEN = r"[\s*_`#>|~\\]*"


def passage(response: str, marked: str) -> str:
    """The part of `response` that was marked, byte for byte as it is stored; '' if it is not there.

    White space counts as one however the browser shows it; a formatted response does not show its marks.
    """
    words = marked.split()
    if not words or len(marked) > LONGEST_PASSAGE:
        return ""
    if marked.strip() in response:
        return marked.strip()
    pieces = [BETWEEN.join(map(re.escape, re.findall(r"\w+|[^\w\s]", word))) for word in words]
    found = re.search(BETWEEN.join(pieces), response)
    return found.group(0) if found else ""
