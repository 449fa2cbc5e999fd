"""What a training did so far, and which line of the program runs."""

import sys
from collections import Counter


# The classes of models that are trained on texts with padding before them.
PADDED_BEFORE = set()


class Step:
    """What happened since the last step of an optimizer."""

    def __init__(self):
        self.backward = self.zeroed = None
        # How often `backward` ran in each line, on a loss that is not divided; a parameter, and its gradient after the last one.
        self.whole, self.gradient = {}, None
        # Outermost calls of modules while gradients were recorded.
        self.calls = []


class Watch:
    def __init__(self):
        self.found, self.optimizers, self.now = [], [], Step()
        self.depth, self.steps = 0, 0
        # The rates that optimizers were made with, by their numbers.
        self.rates = {}
        # Clipping that came before `backward` or after the step, and clipping that came between.
        self.early, self.clipped = None, False
        self.evaluated, self.losses, self.inside = [], [], []
        self.in_eval = None
        # The parameters that had a gradient at a step, by their numbers.
        self.reached = {}
        # Modules that were called within others that do not have them.
        self.strangers = []
        # What the last step of each optimizer used and nothing has cleared; to which of it `backward` has added since, and where.
        self.stale, self.grown = {}, {}
        # The modules that ran since the last step, and the parameters of optimizers: (parameter, name, module, steps in which
        # the module ran); those that had a gradient that is not 0 are in `moved`.
        self.ran, self.idle, self.moved = set(), {}, set()
        # What state_dict() returned, and after how many steps: (state, steps).
        self.states = []
        # The tensors of numbers that embeddings looked up in the call that runs, and the layers: (numbers, layer).
        self.looked_up = []
        # The numbers that were looked up last; the calls of recurrent layers that begin with the same state, by their numbers:
        # (layer, state, place, calls).
        self.token, self.reading = None, {}
        # How the last call of each recurrent layer began and ended, with the tokens of those in a row that begin alike; the layers
        # whose calls begin where the last one ended.
        self.at_states, self.passes = {}, set()
        # The tokens that texts begin with, of each table and line; and how many texts of several tokens were read.
        self.begun, self.texts_read = {}, 0
        # What the last outermost call that got tokens got.
        self.tokens = []
        # All modules that ran, by their numbers; those that were called from outside; and how often `backward` ran, and where.
        self.called, self.outer, self.backwards = set(), [], (0, None)
        # Tensors that the last `backward` reached without any optimizer: (tensor, its gradient, its numbers).
        self.leaves = []
        # The steps of each schedule and those of its optimizer: (schedule, where it was stepped, how often, the optimizer's steps).
        self.schedules, self.scheduling = {}, 0
        # All schedules, and where they were made: (schedule, place).
        self.made_schedules = []
        # Numbers that modules drew and keep as they are: (module, name, line and cell).
        self.plain = []
        # The largest factor of the rate that a schedule set, by its number.
        self.factors = {}
        # The rates of each optimizer's steps, by its number, and where it stepped first.
        self.rates_of_steps = {}
        # The angles of cosines that were asked for since the last step, by lines; those before each step, with its rate.
        self.angles, self.cosines = {}, {}
        # The variables of the loop that are called as a rate is, and their values at the steps, by the optimizer's number.
        self.named_rates = {}
        # Whether their module was in training mode when parameters were first reached, and their sums.
        self.first = {}
        # Whether the outermost call that runs records gradients.
        self.records = False
        # Where gradients were cleared that nothing had used, since the last step, and how often that was so.
        self.lost, self.losses_of_gradients = None, []
        # The rows that models were trained on, each with how often; those that they read without gradients, and where: (place, the program's code).
        self.trained_rows, self.evaluated_rows, self.evaluated_at = Counter(), set(), None
        self.trains_on_a_part = False
        # Comparisons since the last text about one: (equal, how far apart, place); texts that say False; how many said True.
        self.comparisons, self.failed, self.agreed = [], [], 0
        # Whether a loss was a sum.
        self.sums = False
        # How many methods that merge were examined.
        self.merges = 0
        # The models that the program itself switches, or whose parameters it asks for.
        self.models, self.asked_at = [], {}
        # Of models that no optimizer has: a matrix at the last step, and which share of a trained one each step has added.
        self.averages = {}
        # The functions with gradients of their own, and what they were called with first.
        self.functions = {}
        # The rows of the call in training that came last.
        self.last_rows = []
        # The targets of the last loss; how many it had, in one row, if they were those of the loss before.
        self.last_targets, self.targets = None, 0
        # The texts that are written, by model and function, and those of which a second one was examined.
        self.texts, self.examined_texts = {}, set()
        # The texts that each model read in parts; what models and caches kept before they read any, by their numbers; the models
        # of which a text in parts had the outputs of the whole; how many followed methods run.
        self.written, self.fresh, self.caches, self.alike, self.inside_followed = {}, {}, {}, set(), 0

    def add(self, mistake, place, observed, fix, title=None, why=None):
        if place is not None and all((mistake, place) != known[:2] for known in self.found):
            self.found.append((mistake, place, observed, fix, title, why))


def is_own(frame):
    """Whether a frame runs the program's code, and not that of a library or of a check."""
    return not frame.f_code.co_filename.startswith(("<attn>", "<frozen"))


def own_frame(within=None):
    """The program's frame that runs, or the one that called `within`; None where a check runs by itself."""
    frame = sys._getframe(1) if within is None else within.f_back
    while frame is not None and not is_own(frame):
        frame = frame.f_back
    return frame


def outermost():
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
    return frame


def place_in(frame):
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


def place():
    """The program's line that runs: (cell, line, function)."""
    return place_in(own_frame())


def is_repeated():
    """Whether a check runs the program's code, and not the program."""
    return not is_own(outermost())
