"""Compares answers of the rule analysis with two solvers, and its examples with a third evaluation.

Reads one JSON object per line: two rule sets as they are saved, and what the analysis says about them. It shares no code
with Latchkey: rules are read here as docs/rules.md describes them, with explicit wallets that hold numbers, while the
analysis reasons about intervals. Prints one JSON object: how many answers were compared, and each disagreement.
"""

import json
import sys
from fractions import Fraction

import cvc5
import z3


def leaves_of(tree):
    if "and" in tree or "or" in tree or "of" in tree:
        return [leaf for part in tree.get("and") or tree.get("or") or tree["of"] for leaf in leaves_of(part)]
    return leaves_of(tree["not"]) if "not" in tree else [tree]


def trees_of(definitions):
    return [d["variables"]["rule"] for d in definitions if d["scheme"] == "logic"]


class Concrete:
    """A member whose wallets hold known amounts."""

    def __init__(self, wallets, held):
        self.wallets, self.held = wallets, held

    all_of = staticmethod(all)
    any_of = staticmethod(any)

    def negate(self, value):
        return not value

    def count(self, values):
        return sum(values)

    def choose(self, condition, then, otherwise):
        return then if condition else otherwise

    def constant(self, value):
        return value

    def has_role(self, role):
        return role in self.held

    def wallets_on(self, chain):
        return [(True, wallet) for wallet_chain, wallet in self.wallets if wallet_chain == chain]

    def amount(self, wallet, asset, is_long):
        return wallet.get((asset, is_long), Fraction(0))

    def number(self, text):
        return Fraction(text)


class Number:
    """A number of SMT-LIB, with the operators that rules need."""

    def __init__(self, text):
        self.text = text

    def __ge__(self, other):
        return f"(>= {self.text} {other.text if isinstance(other, Number) else other})"

    def __le__(self, other):
        return f"(<= {self.text} {other.text if isinstance(other, Number) else other})"

    def __add__(self, other):
        return Number(f"(+ {self.text} {other.text})") if isinstance(other, Number) else self

    __radd__ = __add__


class Symbolic:
    """Any member with up to a number of wallets on each chain, in SMT-LIB: text is written faster than terms are built."""

    def __init__(self, width):
        self.width, self.commands, self.known = width, [], {}

    def declare(self, key, sort):
        if key not in self.known:
            self.known[key] = f"v{len(self.known)}"
            self.commands.append(f"(declare-const {self.known[key]} {sort})")
        return self.known[key]

    def define(self, text):
        """Gives what is used several times a name of its own, so that texts stay short."""
        if len(text) < 40:
            return text
        if text not in self.known:
            self.known[text] = f"d{len(self.known)}"
            self.commands.append(f"(define-fun {self.known[text]} () Bool {text})")
        return self.known[text]

    def all_of(self, values):
        return self.define(f"(and true {' '.join(values)})")

    def any_of(self, values):
        return self.define(f"(or false {' '.join(values)})")

    def negate(self, value):
        return f"(not {value})"

    def count(self, values):
        return Number(f"(+ 0 0 {' '.join(f'(ite {value} 1 0)' for value in values)})")

    def choose(self, condition, then, otherwise):
        if isinstance(then, Number):
            return Number(f"(ite {condition} {then.text} 0.0)")
        return self.define(f"(ite {condition} {then} {otherwise})")

    def constant(self, value):
        return "true" if value else "false"

    def has_role(self, role):
        return self.declare(("role", role), "Bool")

    def wallets_on(self, chain):
        return [(self.declare(("wallet", chain, i), "Bool"), (chain, i)) for i in range(self.width)]

    def amount(self, wallet, asset, is_long):
        key = (wallet, asset, is_long)
        is_new = key not in self.known
        is_whole = asset[0] != "ERC20"
        name = self.declare(key, "Int" if is_whole else "Real")
        amount = Number(f"(to_real {name})" if is_whole else name)
        if is_new:
            self.commands.append(f"(assert {amount >= '0.0'})")
            if is_long:
                # What was held all the time is held now.
                self.commands.append(f"(assert {amount <= self.amount(wallet, asset, False)})")
        return amount

    def number(self, text):
        number = Fraction(text)
        return Number(f"(/ {number.numerator}.0 {number.denominator}.0)")


class Rules:
    """Roles by a rule set, for a concrete or a symbolic member."""

    def __init__(self, world, definitions):
        self.w = world
        self.given, self.decided = {}, {}
        for definition in definitions:
            if definition["scheme"] == "logic":
                role = definition["roleId"]
                met = self.tree(definition["variables"]["rule"])
                self.given[role] = self.w.any_of([self.given[role], met]) if role in self.given else met
                self.decided[role] = self.w.constant(True)
        waiting = [d["variables"]["roleComposition"] for d in definitions if d["scheme"] == "role_composition"]
        while waiting:
            targets = {c["roleId"] for c in waiting}
            ready = [c for c in waiting if not targets & set(c["condition"])]
            if not ready:
                break
            for composition in ready:
                self.compose(composition)
            waiting = [c for c in waiting if c not in ready]
        self.unknown = {c["roleId"] for c in waiting}

    def now(self, role):
        if role not in self.given:
            return self.w.has_role(role)
        return self.w.choose(self.decided[role], self.given[role], self.w.has_role(role))

    def compose(self, composition):
        w, role, action = self.w, composition["roleId"], composition["action"]
        parts = [self.now(r) if held else w.negate(self.now(r)) for r, held in composition["condition"].items()]
        met = w.all_of(parts) if composition["operator"] == "and" else w.any_of(parts)
        gives = action.startswith("add")
        decided = self.decided.get(role, w.constant(False))
        given = self.given.get(role, w.constant(False))
        two_way = w.constant("Or" in action)
        reverses = w.all_of([two_way, w.negate(met), w.negate(decided)])
        self.given[role] = w.choose(
            met, w.constant(gives), w.choose(reverses, w.constant(not gives), given)
        )
        self.decided[role] = w.any_of([decided, met, reverses])

    def gives(self, role):
        if role in self.unknown or role not in self.given:
            return self.w.constant(False)
        return self.w.all_of([self.decided[role], self.given[role]])

    def holds(self, role):
        return self.w.constant(False) if role in self.unknown else self.now(role)

    def tree(self, node):
        if "and" in node:
            return self.w.all_of([self.tree(part) for part in node["and"]])
        if "or" in node:
            return self.w.any_of([self.tree(part) for part in node["or"]])
        if "not" in node:
            return self.w.negate(self.tree(node["not"]))
        if "of" in node:
            return self.w.count([self.tree(part) for part in node["of"]]) >= node["atLeast"]
        return self.leaf(node)

    def leaf(self, leaf):
        w = self.w
        chain, asset = leaf["chainId"], (leaf["type"], leaf["chainId"], leaf["contractAddress"])
        is_long = "_heldForSeconds" in leaf["variables"]
        wallets = [(exists, w.amount(wallet, asset, is_long)) for exists, wallet in w.wallets_on(chain)]

        def within(amount):
            bounds = [amount >= w.number(leaf["minToken"])]
            if "maxToken" in leaf:
                bounds.append(amount <= w.number(leaf["maxToken"]))
            return w.all_of(bounds)

        if leaf["variables"].get("_sumWallets"):
            total = sum((w.choose(exists, amount, 0) for exists, amount in wallets), start=0)
            return w.all_of([w.any_of([exists for exists, _ in wallets]), within(total)]) if wallets else w.constant(False)
        return w.any_of([w.all_of([exists, within(amount)]) for exists, amount in wallets])


def counterexample(world, case, claim):
    """What would disprove the claim."""
    rules = Rules(world, case[claim["set"]])
    if claim["kind"] == "impossible":
        return rules.tree(case[claim["set"]][claim["rule"]]["variables"]["rule"])
    gives = rules.gives(claim["role"])
    if claim["kind"] == "contained":
        return world.all_of([gives, world.negate(Rules(world, case[claim["other"]]).gives(claim["role"]))])
    needed = rules.holds(claim["unless"]["role"]) if "role" in claim["unless"] else rules.tree(claim["unless"]["holds"])
    return world.all_of([gives, world.negate(needed)])


def member_of(example):
    wallets = []
    for wallet in example["wallets"]:
        held = {}
        for holding in wallet["holdings"]:
            held[(tuple(holding["asset"]), holding["isLong"])] = Fraction(holding["amount"])
        wallets.append((wallet["chain"], held))
    return Concrete(wallets, example["roles"])


def width_for(case, claim):
    """Enough wallets that each leaf can have a witness of its own, and for the example."""
    trees = trees_of(case["before"]) + trees_of(case["after"])
    if claim["kind"] == "required" and "holds" in claim["unless"]:
        trees.append(claim["unless"]["holds"])
    counts = {}
    for tree in trees:
        for leaf in leaves_of(tree):
            asset = (leaf["type"], leaf["chainId"], leaf["contractAddress"])
            text = json.dumps(leaf, sort_keys=True)
            counts.setdefault(asset, set()).add(text)
    example = claim.get("example") or {"wallets": []}
    chains = [wallet["chain"] for wallet in example["wallets"]]
    return max([1 + len(texts) for texts in counts.values()] + [chains.count(chain) for chain in chains] + [1])


# Making one takes longer than most answers.
context = z3.Z3_mk_context(z3.Z3_mk_config())


def ask_z3(text):
    return z3.Z3_eval_smtlib2_string(context, f"(reset)\n{text}")


def ask_cvc5(text):
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("incremental", "true")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "case")
    symbols, answers = parser.getSymbolManager(), []
    while not (command := parser.nextCommand()).isNull():
        answers.append(command.invoke(solver, symbols))
    return "".join(answers)


solvers = {"z3": ask_z3, "cvc5": ask_cvc5}


def have_models(solver, text, count):
    """Whether there is a member for each question of the text."""
    answers = solvers[solver](text).split()
    if len(answers) != count or set(answers) - {"sat", "unsat"}:
        raise RuntimeError(f"{solver} says {answers}")
    return [answer == "sat" for answer in answers]


def questions_of(case, claims):
    """All claims about a case as one text: each is asked and withdrawn again."""
    world = Symbolic(max(width_for(case, claim) for claim in claims))
    asked = [counterexample(world, case, claim) for claim in claims]
    questions = [f"(push 1)\n(assert {formula})\n(check-sat)\n(pop 1)" for formula in asked]
    return "\n".join(["(set-logic ALL)", *world.commands, *questions])


def main():
    compared = {"proven": 0, "disproven": 0, "unproven": 0}
    disagreements = []
    for line in sys.stdin:
        case = json.loads(line)
        for claim in case["claims"]:
            compared[claim["answer"]] += 1
            if "example" in claim and not counterexample(member_of(claim["example"]), case, claim):
                disagreements.append({**note_of(case, claim), "solver": "replay"})
        claims = [claim for claim in case["claims"] if claim["answer"] != "unproven"]
        if not claims:
            continue
        text = questions_of(case, claims)
        for solver in solvers:
            for claim, has_model in zip(claims, have_models(solver, text, len(claims)), strict=True):
                if has_model != (claim["answer"] == "disproven"):
                    disagreements.append({**note_of(case, claim), "solver": solver})
    print(json.dumps({"compared": compared, "disagreements": disagreements}))


def note_of(case, claim):
    return {"seed": case["seed"], "claim": claim["kind"], "answer": claim["answer"]}


main()
