"""Words of English that decide how a term is read and what has to change around it."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PROVISIONS = _words(
    """
    Annex Appendix Art Article Articles Arts Book Century Chapter Part Parts Protocol Rule Schedule Section Title
    Volume
    """
)
"""What a Roman numeral follows."""

TITLES = _words(
    """
    Adm Admiral Affairs Amb Ambassador Ayatollah Brigadier Chairman Chairwoman Chancellor Col Colonel Commander Comrade
    Crown Dame Defence Defense Deputy Dictator Dr Emperor External Field Finance Foreign Former Gen General Gov Governor
    Grand Imam Interior Justice King Leader Lieutenant Lt Maj Major Marshal Minister Mr Mrs Ms National PM Premier Pres
    President Prime Prince Princess Queen Rep Representative Secretary Security Sen Senator Sheikh Sir Speaker State
    Supreme Vice former
    """
)
"""What may stand before a leader's name and belong to it."""

LOWER_TITLES = _words(
    """
    chancellor defence defense dictator foreign king leader minister premier president prime
    """
)
"""Of these, what is also written without a capital."""

BETWEEN_TITLES = _words(
    """
    for of
    """
)
"""What joins two titles."""

COUNTRY_AFTER = _words(
    """
    AIR AIRCRAFT ARMED ARMY ATTACK ATTACKS BASE BASES CITIZENS CONGRESS DRONE DRONES EMBASSY FORCE FORCES GOVERNMENT
    LAW MARINES MILITARY MISSILE MISSILES NATIONALS NAVAL NAVY OFFICIALS POLICY PRESIDENT RELATIONS SANCTIONS SENATE
    SOLDIER SOLDIERS STRIKE STRIKES SUPREME TROOPS WARSHIP WARSHIPS
    """
)
"""In a line in capitals these show that a country stands before them, and no pronoun."""

NOUNS = _words(
    """
    action actions administration admiral agencies agency agent agents aggression aid air aircraft airspace alliance
    allies ally ambassador ambassadors approach argument arguments armed army artillery assistance attack attacks
    authorities authority backing base bases battalion behavior behaviour blockade bomb bombers bombing bombs border
    borders brigade campaign capital case cases cities citizen citizens city civil civilian civilians claim claims
    coalition coast coastguard coastline command commander commanders companies company conduct conflict congress
    constitution constitutional consulate contingent counterpart counterparts court courts crisis culture currency
    customs deal decision decisions declaration defence defense delegation delegations department destroyer
    detainees diplomacy diplomat diplomatic diplomats dispute division dollar domestic drone drones economic economy
    election elections electoral embargo embassies embassy era federal file flag fleet force forces foreign frigate
    general generals government guard helicopter helicopters historical history hostage hostages infantry
    intelligence interest interests internal intervention invasion involvement island islands issue jet jets judge
    judges judiciary law laws leader leaders leadership legal mainland marine marines maritime market media military
    minister ministers ministry missile missiles model narrative national nationals naval navy note notes nuclear
    occupation offensive officer officers official officials operation operations order orders parliament partner
    partners peace people personnel perspective pilot pilots plan plane planes plans police policies policy
    political politicians politics population position positions practice presence presidency president presidential
    press prime prison prisoners prisons proposal proposals prosecutor prosecutors public question reaction regime
    regiment region regional representative representatives reservation response rhetoric role rule rules sanctions
    secretary security senate service services shelling ship ships side sides soil soldier soldiers special sphere
    spokesman spokesperson spokeswoman spy state statement statements strike strikes submarine submarines support
    supreme tank tanks territorial territories territory threat threats trade treaty troops ultimatum unit units
    vessel vessels veto view views vote war warplane warplanes wars warship warships waters weapon weapons
    """
)
"""What may follow a name that is used before a noun: "the US military" keeps its article."""

VERBS_TOO = _words(
    """
    aids attacks backs bases bombs cases claims deals files fires forces guards interests issues notes orders
    partners plans positions questions rules sanctions services ships strikes supports views votes weapons
    """
)
"""Of these, some are verbs as often: they are, if what follows begins an object."""

OBJECT_BEGINS = _words(
    """
    a all an any every her his it its on that the their these this those to
    """
)
"""What begins an object."""

AFTER_A_NOUN = _words(
    """
    after against already also and are as at be because been before between both but by can could did do does during
    for from had has have however if in into is may might must never no nor not on only onto or over shall should
    since than that then therefore through thus toward towards under upon was were when where which while who whom
    whose will with within without would
    """
)
"""After these words a name without an article of its own is used as a noun: "the Negev is"."""

PLURAL_VERBS = _words(
    """
    are can could did do had have may might must should were will would
    """
)
"""Before these an adjective after "the" is a people: "the French are"."""

SENTENCE_BEGINS = _words(
    """
    A After All Although An And Any Are Article As At Because Before Both But By Country Despite During Each Finally
    First For From Furthermore He Hence Her Here His How However I If In Indeed Is It Its Moreover No Not Of On Our
    Second She Since States Such That The Their There Therefore These They Third This Those Though Thus To Under Was
    We Were What When Where While Who Why With Without Yet You
    """
)
"""What begins a sentence, so that the full stop of an abbreviation before it is the sentence's."""

ARTICLED = _words(
    """
    Authority Commonwealth Confederation Dominion Empire Federation Kingdom Realm Reich Republic State States
    Territories Territory Union
    """
)
"""A name with one of these words has an article."""
