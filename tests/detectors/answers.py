"""Answers as models write them: the four tasks, in Markdown, drawn from paragraphs that were written for this."""

import random

TOPICS = (
    "Distinction",
    "Proportionality",
    "Precautions in attack",
    "Knowledge and intent",
    "Command responsibility",
    "Protected persons",
    "Military necessity",
    "Self-defence",
    "Reliability of the facts",
    "Individual criminal responsibility",
)
SENTENCES = (
    "The armed forces of {a} attacked a building in which families lived, and nothing in the facts "
    "suggests that it had become a military "
    "objective within the meaning of Article 52(2) of Additional Protocol I.",
    "Article 8(2)(b)(iv) of the Rome Statute requires that the attack was launched in the knowledge "
    "that harm to civilians would be clearly "
    "excessive in relation to the concrete and direct overall military advantage anticipated.",
    "The presence of a single suspected militant does not deprive the residents of their protection.",
    "Under Article 30, knowledge may be inferred from the briefing notes and from the number of "
    "people who were known to live there.",
    "The elements of the crime are as follows: an international armed conflict, a nexus to it, an "
    "attack, and awareness of the facts.",
    "A commander who could have used precision munitions and did not do so may have failed to take "
    "all feasible precautions (Art. 57 (2) (a) "
    "(ii) AP I).",
    "The defence may argue that intelligence in war is never complete, and that the lawfulness of an "
    "attack must be judged on what was known at "
    "the time.",
    "It could also be argued that {b} had placed military equipment nearby, although the scenario does not say so.",
    "These acts would likely amount to grave breaches of the Fourth Geneva Convention, in particular "
    "Articles 27, 32 and 147.",
    "There is no evidence that a warning was given, and the hour of the attack made it certain that "
    "families were at home.",
    "The killing of 106 civilians, 42 of them children, cannot be justified by the advantage that was sought.",
    "State responsibility runs in parallel: {a} must cease the conduct, offer guarantees and make reparation.",
    "It is not possible to rely on reciprocity, since the rules that protect civilians bind each "
    "party whatever the other does.",
    "The principle of complementarity means that the Court acts only where the State is unwilling or "
    "unable genuinely to investigate.",
    "The gravity of the conduct is shown by its scale, by the way in which it was planned and by its "
    "lasting effect on the survivors.",
    "If the strike was ordered in the belief that the building was empty, a mistake of fact under "
    "Article 32 might negate the mental element.",
    "Articles 7(1)(a), (d) and (h) of the Statute apply where the acts were part of a widespread or systematic attack.",
    "In the law of the sea, Article 19 of UNCLOS sets out when passage is no longer innocent, and "
    "Article 301 forbids the threat of force.",
    "Ruling out an alternative reading, the better view is that the threshold of clear excess was passed.",
    "A ship that carries food for the people of a besieged town may be visited, but it may not be "
    "sunk or turned back at will.",
    "Children enjoy special respect, and their recruitment below the age of fifteen is a war crime "
    "in every kind of conflict.",
    "The registry extract, the drone pictures and the radio log point in one direction: the planners "
    "knew who lived there.",
    "Forced displacement is lawful only where the security of the population or imperative military reasons demand it.",
    "Deportation and transfer differ in that the former crosses a border and the latter does not.",
    "Persecution presupposes that a fundamental right was severely denied to a group because of what it is.",
    "Anticipatory self-defence, if it exists at all, needs an attack that is imminent, and nothing here was imminent.",
    "Superior orders relieve nobody where the order was manifestly unlawful, and an order to fire on "
    "a queue for bread is.",
    "Evidence should be kept now, since debris is being cleared and phones are being lost.",
    "Domestic courts keep priority as long as their proceedings are more than a shield for the person concerned.",
    "Victims may take part in the proceedings and may claim reparation from those who were convicted.",
    "The siege of a town is no crime in itself; to starve those who live in it is one.",
    "A medical unit loses its protection only after a warning that names a reasonable time and remains unheeded.",
    "Innocent passage may be suspended for a time in parts of the territorial sea, but not in a strait.",
    "That the other party had broken the law before changes nothing about the duties owed to people "
    "who took no part in it.",
    "Cultural property marked with the blue shield was hit twice within an hour, which speaks against an accident.",
    "Whoever plans, orders or assists such an attack answers for it as if that person had fired the weapon.",
    "Even a lawful target may be attacked only with means whose effects can be limited as the law requires.",
    "Treaties of mutual defence do not widen the right to use force; they only spread it over more shoulders.",
    "The burden of proof lies with the prosecution, which must prove every element beyond reasonable doubt.",
)
OPENINGS = (
    "# Legal analysis\n\nThe actions described raise serious questions under international "
    "humanitarian law and international criminal law.",
    "Based on the scenario provided, the conduct of the armed forces of {a} constitutes a serious "
    "violation of international humanitarian law.",
    "**Introduction**\n\nThe following sets out the strongest legal arguments that counsel could put "
    "forward, with the provisions they rest on.",
    "The facts as given describe an attack by {a} on people and property of {b} in 2028; the scenario is hypothetical.",
)
NAMES = (
    ("Ruritania", "Graustark"),
    ("Graustark", "Ruritania"),
    ("Russia", "Ukraine"),
    ("Yemen", "Saudi Arabia"),
    ("Serbia", "Kosovo"),
)


def answer(seed: int, sections: int = 6, rating: bool = False) -> str:
    """About 600 characters for each section; the same seed gives the same answer."""
    draw = random.Random(seed)
    a, b = draw.choice(NAMES)
    parts = [draw.choice(OPENINGS)]
    left = draw.sample(SENTENCES, len(SENTENCES))
    for number, topic in enumerate(
        (draw.sample(TOPICS, len(TOPICS)) * (1 + sections // len(TOPICS)))[:sections], start=1
    ):
        heading = draw.choice(("## {n}. {t}", "### {n}. {t}", "**{n}. {t}**", "{n}. **{t}:**")).format(
            n=number, t=topic
        )
        body = [left.pop() for _ in range(4) if left]
        text = "\n- ".join(["", *body]) if draw.random() < 0.3 else "\n\n" + " ".join(body)
        parts.append(heading + text)
    if rating:
        parts.insert(1, f"**Severity rating: {draw.choice((7, 8, 8.5, 9, 9.5, 10))}/10**")
    return "\n\n".join(parts).format(a=a, b=b) + "\n"
