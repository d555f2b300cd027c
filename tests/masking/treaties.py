"""Paragraphs in the style of treaties and of legal writing, none of which is about a country of any pair.

Written here, and put together from parts. They hold what is easily taken for a term: States, kingdoms, Roman
numerals, pronouns, lower-case homonyms, courts and instruments that are kept, other countries, and people with a
country's name.
"""

from itertools import product

WRITTEN = """
Each State Party shall take the measures that are necessary to establish its jurisdiction over the offences set forth
in Article 4, and shall so inform the other States Parties without delay.

The States concerned shall settle any dispute on the interpretation of this Convention by negotiation; failing that,
one of them may submit it to the International Court of Justice.

Nothing in this Part prejudices the rights and duties of the occupying Power under the Fourth Geneva Convention of
1949.

For the purposes of the Rome Statute, article 8(2)(b)(xi), to kill or wound treacherously is a war crime; Part XI of
UNCLOS is not at issue, nor is Annex XI, Chapter XI or Title XI.

It tells us nothing about intent. Let us suppose that the attack was planned: it remains for us to ask by whom.

The Member States of the United Nations, all Member States of this Organization, and the States not members of it may
take part in the Conference.

A permanent court shall sit at The Hague. Its judges enjoy diplomatic privileges and immunities.

The Inter-American Court of Human Rights has read the right to life in the American Convention on Human Rights to bind
States beyond their territory.

In Prosecutor v. Tadić the Appeals Chamber held that an armed conflict exists whenever there is a resort to armed
force between States.

In Corfu Channel the Court spoke of elementary considerations of humanity, even more exacting in peace than in war.

In the case of Nicaragua v. Honduras the Court drew a line that neither party had asked for.

The Martens Clause, first set down in 1899, protects persons in cases that treaties do not cover; so does the St
Petersburg Declaration of 1868 in its preamble.

The Vienna Convention on the Law of Treaties, the Genocide Convention and the Convention against Torture bind the
parties to them.

Under the Ottawa Convention no State may use anti-personnel mines; under the Oslo Convention, no cluster munitions.

The Istanbul Convention, the Istanbul Protocol, the Paris Agreement and the Kyoto Protocol were not pleaded.

The Nuremberg Principles, the Nuremberg Charter and the judgment of the Tokyo Tribunal are cited for the duty to
disobey.

The San Remo Manual, the Tallinn Manual and the Helsinki Final Act are no treaties.

The Montreal Convention and the Montreux Document were opened to all States.

A kingdom, a republic, a federation or a union may be a party. Its form of government has no bearing on its duties.

The northern province and the southern district were placed under a joint administration. The north was quiet; the
south was not. The continent lay two miles off.

The parties shall facilitate family reunification, and the reunification of families dispersed by the conflict.

Law enforcement officials shall respect the Code of Conduct for Law Enforcement Officials and this code of conduct.

The boundary follows the median line, every point of which is equidistant from the nearest points of the two coasts.

Land-locked States shall have the right of access to and from the sea and shall enjoy freedom of transit.

No vessel may be arrested for flying no flag. Warships may visit it as they may under article 110.

Jordan, Niger, Mali, Oman, Chad, Romania, Somalia and Guinea were among the States that signed on the first day.

Judge Michael Jordan and Professor Georgia Niger wrote separately; Dr. Chad Oman concurred.

Michael Jordan, the agent of the applicant, asked the Court to adjourn.

The inspectors counted forty turkeys, a turkey farm, china cups, chile peppers, swedes, kiwis and lima beans.

The stones were of obsidian; the ore, ferrum in the report, came from the prime meridian's side of the mine.

No necessity can trump the prohibition of torture, and per capita aid cannot be its price.

WHAT THE CONVENTION REQUIRES OF US. NO PARTY CAN DEROGATE FROM IT, NOR MAY IT ARM ITSELF PER SE AGAINST IT.

STATES PARTIES MUST COOPERATE. THE STATES CONCERNED SHALL PAY FOR WHAT BEFALLS US.

The arms, the armed groups and the army depots were listed; the arm of the crane was not.

As Lauterpacht says, the law of war is at the vanishing point of international law; as Kelsen says, it is law none the
less.

A belligerent may not feign protected status: the diet of prisoners, their pay and their letters are governed by
Section II, Chapter IV.

Latin America, South America, Central American States and the Americas at large have a regional custom of asylum.

The Organization of American States and the Inter-American Commission were observers.

In the West Indies and in Indonesia, Indochina and Papua New Guinea the treaty was never extended.

The road to Damascus, an Indian summer and the Stockholm syndrome are figures of speech and no evidence.

Belarus, Austria, Assyria, Turkmenistan and the Turks and Caicos Islands are mentioned in the annex.

Indiana Jones, Francis Bacon, Charles Darwin and the Duke of Wellington are mentioned in the footnotes.

Hugo Grotius, Emer de Vattel and Francisco de Vitoria wrote before there were States in the present sense.

The International Committee of the Red Cross may offer its services; it may not be refused for reasons of convenience.

Reparation takes the form of restitution, compensation and satisfaction, alone or together (arts. 34 to 37).

A ruse of war is not perfidy. Decoys, misinformation and mock operations are lawful under article 37(2) of Protocol I.

The Security Council may refer a situation in which crimes appear to have been committed, under Chapter VII.

The General Assembly, by resolution 3314 (XXIX), annexed a definition of aggression.

The use of armed force by a State against the sovereignty of another is prima facie evidence of an act of aggression.

The severity of the act is rated 8 out of 10. The rating follows from scale, gravity and manifest illegality.

An order to commit genocide is manifestly unlawful. An officer, an official or an agent who obeys it is liable.

The truce was signed by a general, a colonel and an interpreter on the eve of the feast, in two copies, both
authentic.

Whoever was in the house may say what he saw; who was in the Kingdom of God, as the witness put it, may not.

Part IV governs straits used for international navigation; a strait may lie within a territorial sea on both sides.

Fishing vessels, hospital ships and coastal rescue craft are exempt from capture while they do their work.

The President of the Tribunal, the Prime Minister and the Minister of Foreign Affairs of a third State gave evidence.

Congress, Parliament, the National Assembly or the Senate, as the case may be, shall approve the instrument.

The registrar kept the seal; the bailiff, the keys.
"""
WITH_MARKUP = (
    "| Element | Met? |\n|---|---|\n| Object | yes |\n| Intent | yes |\n\n1. **Object**: civil.\n2. *Intent*: yes.",
    "> The parties shall at all times distinguish between civilians and combatants.\n\nThis rule is customary.",
)
PARTIES = (
    "The High Contracting Parties",
    "Each State Party",
    "The parties to the conflict",
    "The detaining Power",
    "The occupying Power",
    "A flag State",
    "The coastal State",
    "The requested State",
)
DUTIES = (
    "shall spare the civilian population, civilian objects and the natural environment",
    "shall search for the wounded, the sick and the shipwrecked, and care for them",
    "shall neither order nor tolerate reprisals against protected persons",
    "shall bring those who have committed grave breaches before its own courts, whatever their nationality",
    "shall give effective advance warning of attacks which may affect civilians",
    "shall allow the rapid and unimpeded passage of consignments of medicine and food",
)
LIMITS = (
    "without any adverse distinction founded on race, colour, religion, birth or wealth.",
    "unless imperative military necessity, which is to be construed narrowly, so demands.",
    "in accordance with Articles 48, 51 and 57 of Protocol I and with customary law.",
    "as soon as the circumstances permit, and in any case before hostilities are resumed.",
)
BUILT = tuple(" ".join(parts) for parts in product(PARTIES, DUTIES, LIMITS))
PARAGRAPHS = (*(" ".join(one.split()) for one in WRITTEN.strip().split("\n\n")), *WITH_MARKUP, *BUILT)
