"""The small grammar that the trained model has learned, and the sentences on which it is measured.

Each behaviour has a word that decides what comes next, far from the gap. The words beside the gap are the same for every
answer: they never give it away. The nouns between them belong to the other answer as often as to the same one.
"""

import random

FIRST = "anna tom maria ben eva paul lena max nina jack rosa carl ida finn mia leo".split()
LAST = "stone hill wood king baker miller cook field bell cross shaw ford".split()
MEETS = "met saw called helped".split()
PERSON = FIRST + ["she", "he"]

RIVERS = "river stream lake canal".split()
MONEY = "money loan cheque cash".split()
AT_RIVER = "water fish reeds ducks".split()
AT_MONEY = "clerk safe guard vault".split()
STATE = "wide cold low high new old small gone near late".split()

ANIMALS = "dog cat horse bird cow goat mouse rabbit wolf bear".split()
THINGS = "ball cup coat boat lamp plate kite drum spoon hat".split()
OF_ANIMALS = "hungry tired thirsty afraid".split()
OF_THINGS = "red round broken empty".split()

NOUNS = "key letter book flower picture apple chair bottle coin stamp button ring".split()
PLACES = "table door window tree bed house garden wall".split()
INSIDE = "house garden kitchen barn".split()
LISTED = ANIMALS + THINGS + NOUNS + PLACES + RIVERS + MONEY + FIRST + LAST
OF_BOTH = "old new small lost".split()


def either(*words):
    return random.choice(words)


def some(words):
    return random.choice(words)


def often(words, share=0.5):
    """The words, or none."""
    return words if random.random() < share else []


def start():
    return often(some([["one", "day"], ["in", "the", "evening"], ["then"], ["yesterday"], ["after", "lunch"]]), 0.3)


def bank(of_river=None):
    """`the river was wide and she sat on the bank and watched the` water."""
    of_river = random.random() < 0.5 if of_river is None else of_river
    noun, answers = (some(RIVERS), AT_RIVER) if of_river else (some(MONEY), AT_MONEY)
    words = start() + ["the", noun, "was", some(STATE), either("so", "and"), some(PERSON)]
    words += some([["sat", "on"], ["stood", "by"], ["walked", "to"], ["went", "to"], ["waited", "at"], ["came", "to"]])
    words += ["the", "bank"]
    words += often(["with", "the", some(ANIMALS + THINGS)], 0.25) or often(either(["again"], ["early"], ["alone"]), 0.25)
    words += ["and"] + some([["watched"], ["looked", "for"], ["saw"], ["asked", "about"], ["pointed", "at"]])
    return words + ["the"], some(answers), answers, len(words) - words[::-1].index(noun) - 1


def who_it_is(animal=None):
    """`the dog was in the garden near the ball and anna said that it was` hungry."""
    animal = random.random() < 0.5 if animal is None else animal
    own, other = (ANIMALS, THINGS) if animal else (THINGS, ANIMALS)
    noun, answers = some(own), OF_ANIMALS if animal else OF_THINGS
    words = start() + ["the", noun, either("was", "stayed", "lay", "stood")]
    place = ["in", "the", some(INSIDE)]
    other = [either("near", "beside", "behind"), "the", some(other if random.random() < 0.75 else own)]
    words += some([place, other, place + other, other + place])
    words += some([["and", some(PERSON), either("said", "saw", "knew", "thought"), "that"], ["because"]])
    return words + ["it", "was"], some(answers), answers, words.index(noun)


def returning_name(_=None):
    """`anna stone met tom hill in the house and later anna` stone."""
    people = [[first, last] for first, last in zip(random.sample(FIRST, 2), random.sample(LAST, 2))]
    words = start()
    names = [len(words) + 1, len(words) + 4]
    words += people[0] + [some(MEETS)] + people[1]
    words += often(some([["in", "the", some(INSIDE)], ["near", "the", some(RIVERS)]]), 0.7)
    words += some([["and", "later"], ["and", "then"], ["and", "so"], [".", "later"], [".", "then"]])
    chosen = random.randrange(2)
    first, last = people[chosen]
    return words + [first], last, [last], names[chosen], people


def agreement(plural=None):
    """`the keys on the table` are."""
    plural = random.random() < 0.5 if plural is None else plural
    noun = some(NOUNS) + ("s" if plural else "")
    words = start() + ["the", noun]
    place = [either("on", "near", "behind", "beside"), "the", some(PLACES) + ("s" if random.random() < 0.5 else "")]
    words += often(["that", some(PERSON), either("left", "put", "found", "saw", "had")], 0.5) + place
    answer = "are" if plural else "is"
    return words, answer, [answer], words.index(noun)


def repeated_list():
    """`ball key hat bird cup . key hat bird`: words of a list, said again from somewhere on."""
    words = random.sample(LISTED, random.randint(4, 12))
    said = list(words)
    for _ in range(random.randint(1, 2)):
        at = random.randrange(len(words) - 2)
        said += ["."] + words[at : at + random.randint(3, 12)]
    return said + ["."]


BEHAVIOURS = {"bank": bank, "it": who_it_is, "name": returning_name, "agreement": agreement}


KINDS = ["bank", "it", "name", "list", "agreement"]


def sentence():
    """One sentence to learn from, with its end."""
    kind = some(KINDS)
    if kind == "list":
        return repeated_list()
    words, answer, _, _, *people = BEHAVIOURS[kind]()
    words = words + [answer]
    if kind == "agreement":
        words += [some(OF_BOTH)]
    if kind == "name":
        one, two = people[0] if people[0][1][0] == words[-2] else people[0][::-1]
        words += [some(MEETS)] + one
        for _ in range(random.randint(0, 2)):
            one, two = random.sample([one, two], 2)
            words += ["and"] + one + [some(MEETS)] + two
    return words + ["."]


def vocabulary():
    """All words, in the order of the alphabet."""
    random.seed(0)
    found = {"."}
    for _ in range(20000):
        found.update(sentence())
    return sorted(found)
