"""Sentences and what becomes of them, by kind of difficulty. All of them are our own."""

import pytest

from tests.masking.lexicon import mask

RU, US, CN_TW, IN_PK = "russia-ukraine", "china-united-states", "china-taiwan", "india-pakistan"
CASES: dict[str, list[tuple[str, str, str]]] = {
    "names": [
        (RU, "Russia shelled a town of Ukraine.", "Country X shelled a town of Country Y."),
        ("ukraine-russia", "Russia shelled a town of Ukraine.", "Country Y shelled a town of Country X."),
        (RU, "Ukraine shelled a town of Russia.", "Country Y shelled a town of Country X."),
        (CN_TW, "Taiwan, Province of China, and the PRC", "Country Y, and Country X"),
        (CN_TW, "the ROC, the Republic of China and mainland China", "Country Y, Country Y and Country X"),
        (US, "the U.S.A., the USA and the U.S.", "Country Y, Country Y and Country Y."),
        (RU, "the U.S.S.R. and the USSR", "Country X and Country X"),
        (RU, "Ukrane and the Ukranian army", "Country Y and the Country Y army"),
        (RU, "Россия and Україна, 🇷🇺 and 🇺🇦", "Country X and Country Y, Country X and Country Y"),
    ],
    "articles": [
        (US, "The US denied it; the US Navy did too.", "Country Y denied it; the Country Y Navy did too."),
        (US, "of the United States, the US-led force", "of Country Y, the Country Y-led force"),
        (US, "the United States’ aims and the US's aims", "Country Y’s aims and Country Y's aims"),
        (US, "the **United States** said", "**Country Y** said"),
        (
            US,
            "the US strikes on the port; the US strikes the port",
            "Country Y strikes on the port; Country Y strikes the port",
        ),
        (
            US,
            "the US claims to the island; the US–China border",
            "Country Y claims to the island; the Country Y–Country X border",
        ),
        (US, "# The United States Must Act", "# Country Y Must Act"),
        (
            RU,
            "the Ukraine war; the Kremlin's aims; the Kremlin spokesman",
            "Country Y war; Country X's aims; the Country X spokesman",
        ),
        ("japan-australia", "the Japanese are; the Japanese navy", "the Country X nationals are; the Country X navy"),
        ("iran-israel", "an Iranian, an **Israeli** and a Persian", "a Country X, a **Country Y** and a Country X"),
        ("iran-israel", "An Israeli jet and an IRGC unit", "A Country Y jet and a Country X unit"),
    ],
    "possessives and plurals": [
        (
            RU,
            "Russia’s, Ukraine's and the Ukrainians’ aims",
            "Country X’s, Country Y's and the Country Y nationals’ aims",
        ),
        ("china-philippines", "PHILIPPINES' WATERS, the Philippines' waters", "COUNTRY Y'S WATERS, Country Y's waters"),
        (US, "'the United States' said", "'Country Y' said"),
        (
            "new-zealand-australia",
            "New Zealanders, Kiwis and kiwis",
            "Country X nationals, Country X nationals and kiwis",
        ),
    ],
    "leaders": [
        (RU, "Russian President Vladimir Putin spoke.", "Country X spoke."),
        (RU, "Foreign Minister Sergey Lavrov met Mr. Zelenskyy.", "Country X met Country Y."),
        (US, "Secretary of State Marco Rubio; Former President Barack Obama", "Country Y; Country Y"),
        (US, "the Trump administration", "the Country Y administration"),
        (US, "no rule can trump it", "no rule can trump it"),
        ("saudi-arabia-yemen", "Crown Prince Mohammed bin Salman (MBS)", "Country X (Country X)"),
        ("iran-israel", "Supreme Leader Ayatollah Ali Khamenei; the Ayatollah", "Country X; the [REDACTED]"),
        (IN_PK, "Karim Khan and Prime Minister Imran Khan", "Karim Khan and Country Y"),
        ("japan-australia", "Francesca Albanese and Prime Minister Albanese", "Francesca Albanese and Country Y"),
        ("spain-portugal", "Montenegro joined; Luís Montenegro spoke", "Montenegro joined; Country Y spoke"),
        (
            US,
            "Xi's plan, Mr. Xi, Chapter XI, Article Xi, (xi)",
            "Country X's plan, Country X, Chapter XI, Article Xi, (xi)",
        ),
        ("north-korea-south-korea", "North Korean leader Kim Jong-un", "Country X"),
    ],
    "pronouns and common words": [
        (US, "It tells us nothing. WHAT THIS MEANS FOR US", "It tells us nothing. WHAT THIS MEANS FOR US"),
        (US, "WHAT THE US MUST DO; US FORCES", "WHAT Country Y MUST DO; Country Y FORCES"),
        (US, "USS, USD, US$5, AUS, USMCA", "USS, USD, US$5, AUS, USMCA"),
        (US, "porcelain: china", "porcelain: china"),
        ("turkey-syria", "turkey meat from Turkey", "turkey meat from Country X"),
        ("chile-peru", "chile, as per PER CAPITA (PER)", "chile, as per PER CAPITA (Country Y)"),
        ("united-states-canada", "States CAN act; CANADA can", "States CAN act; COUNTRY Y can"),
        ("sweden-norway", "NOR swedes; Swedes", "NOR swedes; Country X nationals"),
        ("armenia-azerbaijan", "ARMED ARM (ARM)", "ARMED ARM (Country X)"),
        ("meridia-arcturus", "the prime meridian; a Meridian ship", "the prime meridian; a Country X ship"),
        ("veridian-obsidian", "obsidian blades, Obsidian blades", "obsidian blades, Country Y blades"),
        ("japan-australia", "a diet; the Diet met", "a diet; Country X met"),
        ("iran-israel", "I ran to Tirana", "I ran to Tirana"),
    ],
    "longer words and names": [
        (RU, "Belarus, Prussia and Russell", "Belarus, Prussia and Russell"),
        ("turkey-syria", "Assyria, Turkmenistan, the Turks and Caicos", "Assyria, Turkmenistan, the Turks and Caicos"),
        ("india-china", "Indiana, Indonesia, Indochina", "Indiana, Indonesia, Indochina"),
        ("iran-saudi-arabia", "Oman in Romania; the Kingdom of Norway", "Oman in Romania; the Kingdom of Norway"),
        ("north-korea-south-korea", "the North and the North Atlantic", "Country X and the North Atlantic"),
        ("new-zealand-australia", "Zealand, Wellington boots, Wellington", "Zealand, Wellington boots, Country X"),
    ],
    "kept": [
        (US, "the Inter-American Court and the American forces", "the Inter-American Court and the Country Y forces"),
        (US, "the States Parties and the States concerned", "the States Parties and the States concerned"),
        (US, "Latin America, African Americans", "Latin America, African Americans"),
        (US, "Nicaragua v. United States", "Nicaragua v. Country Y"),
        ("turkey-syria", "the Istanbul Convention in Istanbul", "the Istanbul Convention in Country X"),
        ("france-germany", "the Paris Agreement in Paris", "the Paris Agreement in Country X"),
        ("united-states-canada", "the Ottawa Convention in Ottawa", "the Ottawa Convention in Country Y"),
        (RU, "the St Petersburg Declaration", "the St Petersburg Declaration"),
        ("sweden-norway", "the Oslo Accords; Oslo said", "the Oslo Accords; Country Y said"),
        (US, "the Indian Ocean", "the Indian Ocean"),
        ("greece-turkey", "Greek letters, NATO", "Greek letters, NATO"),
    ],
    "redacted": [
        ("india-china", "the Indian Ocean and the LAC", "the [REDACTED] and the [REDACTED]"),
        (IN_PK, "an Indo-Pacific fleet", "a [REDACTED] fleet"),
        ("north-korea-south-korea", "both Koreas; Korean women", "[REDACTED]; [REDACTED] women"),
        ("greece-turkey", "the EU, the Aegean", "the [REDACTED], the [REDACTED]"),
        ("china-philippines", "ASEAN and a permanent seat", "[REDACTED] and a [REDACTED]"),
        (
            "saudi-arabia-yemen",
            "the GCC, the Arab League and the Houthis'",
            "the [REDACTED], the Arab League and the [REDACTED]'",
        ),
        ("iran-saudi-arabia", "OPEC and the Arab League", "OPEC and the [REDACTED]"),
        (US, "18 U.S.C. § 2441(a) binds", "[REDACTED] binds"),
        ("israel-palestine", "Resolutions 242 and 338", "[REDACTED]"),
        ("serbia-kosovo", "resolution 1244 (1999) and KFOR", "[REDACTED] and [REDACTED]"),
        (
            "serbia-kosovo",
            "the International Criminal Tribunal for the former Yugoslavia",
            "the International Criminal Tribunal for the [REDACTED]",
        ),
        ("ethiopia-eritrea", "the Eritrea–Ethiopia Claims Commission", "the [REDACTED]"),
    ],
    "compounds": [
        ("israel-palestine", "Israeli-occupied Palestinian land", "Country X-occupied Country Y land"),
        (RU, "pro-Russian, anti‑Ukrainian, post-Soviet", "pro-Country X, anti‑Country Y, post-Country X"),
        (
            RU,
            "Russo-Ukrainian, Russo‑Ukrainian, RUSSO-UKRAINIAN",
            "Country X-Country Y, Country X-Country Y, COUNTRY X-COUNTRY Y",
        ),
        (RU, "Russia–Ukraine, Russia/Ukraine", "Country X–Country Y, Country X/Country Y"),
        (US, "U.S.-backed, US–led, Sino-foreign", "Country Y-backed, Country Y–led, Country X-foreign"),
        ("spain-portugal", "Hispano-Portuguese; San Francisco", "Country X-Country Y; San Francisco"),
        ("spain-portugal", "Luso tiles", "Luso tiles"),
        (IN_PK, "Pak-based, pak", "Country Y-based, pak"),
        (RU, "#StandWithUkraine #russia UkraineWar", "#StandWithCountry Y #Country X Country YWar"),
    ],
    "marks": [
        (
            RU,
            "**Rus**sia, Rus**sia**, **Russia**n, R**uss**ia",
            "**Country X**, **Country X**, **Country X**, Country X",
        ),
        (US, "_U.S._ and **United** States", "_Country Y_ and **Country Y**"),
        (US, "https://example.org/United_States", "https://example.org/Country Y"),
        (US, "[China](https://example.org/china)", "[Country X](https://example.org/Country X)"),
        (US, "| PRC | US |", "| Country X | Country Y |"),
        (US, "United<br>States, United&nbsp;States", "Country Y, Country Y"),
        ("turkey-syria", "T&uuml;rkiye, Tu\u0308rkiye, TÜRKİYE", "Country X, Country X, COUNTRY X"),
        ("armenia-azerbaijan", "Azer-\nbaijan, pro-\nArmenian", "Country Y, pro-\nCountry X"),
        (US, "the United\n> States", "Country Y"),
        (US, "United\n\nStates", "United\n\nStates"),
        (RU, "Rus\u00adsia, Uk\u200braine", "Country X, Country Y"),
        ("chile-peru", "Peru\u0301, Perú", "Country Y, Country Y"),
    ],
    "full stops": [
        (US, "He left the U.S. The court sat.", "He left Country Y. The court sat."),
        (US, "the U.S. Navy", "the Country Y Navy"),
        ("china-philippines", "He met Ferdinand Marcos Jr. They spoke.", "He met Country Y. They spoke."),
    ],
}


@pytest.mark.parametrize(("pair", "text", "expected"), [case for kind in CASES.values() for case in kind])
def test_what_becomes_of_a_text(pair: str, text: str, expected: str) -> None:
    masked = mask(pair, text)
    assert masked.text == expected
    assert masked.status == ("unchanged" if text == expected else "masked")
