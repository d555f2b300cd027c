"""Foreign text as a reader may see it: nothing hidden, nothing that moves other text."""

import re

# C0 and C1 controls but for tab and newline, lone surrogates, separators and directional overrides.
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """`text` with every control character, separator, directional override and lone surrogate as a visible sign.

    Line breaks and tabs stay. For the eye only: what is stored is never changed.
    """
    return HIDDEN.sub(_sign, text)


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"⟨U+{code:04X}⟩"
