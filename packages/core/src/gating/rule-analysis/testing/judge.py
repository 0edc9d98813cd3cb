"""Judges answers of the rule analysis with two solvers, and its examples with a third evaluation.

Reads one JSON object per line: two rule sets as they are saved, and what the analysis says about them. It shares no code
with Latchkey: rules are read here as docs/rules.md describes them, with explicit wallets that hold numbers, while the
analysis reasons about intervals. Prints one JSON object: how many answers were judged, and each disagreement.
"""

import json
import sys
from fractions import Fraction

import cvc5.pythonic as cvc5
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


class Symbolic:
    """Any member with up to a number of wallets on each chain."""

    def __init__(self, solver, width):
        self.s, self.width, self.facts, self.seen = solver, width, [], {}

    def all_of(self, values):
        values = list(values)
        return self.s.And(*values) if values else self.s.BoolVal(True)

    def any_of(self, values):
        values = list(values)
        return self.s.Or(*values) if values else self.s.BoolVal(False)

    def negate(self, value):
        return self.s.Not(value)

    def count(self, values):
        return self.s.Sum(*[self.s.If(v, self.s.IntVal(1), self.s.IntVal(0)) for v in values], self.s.IntVal(0))

    def choose(self, condition, then, otherwise):
        return self.s.If(condition, then, otherwise)

    def constant(self, value):
        return self.s.BoolVal(value)

    def has_role(self, role):
        return self.s.Bool(f"holds {role}")

    def wallets_on(self, chain):
        return [(self.s.Bool(f"{chain} {i} exists"), (chain, i)) for i in range(self.width)]

    def amount(self, wallet, asset, is_long):
        key = (wallet, asset, is_long)
        if key not in self.seen:
            make = self.s.Real if asset[0] == "ERC20" else self.s.Int
            self.seen[key] = make(f"{key}")
            self.facts.append(self.seen[key] >= 0)
            if is_long:
                # What was held all the time is held now.
                self.facts.append(self.seen[key] <= self.amount(wallet, asset, False))
        return self.seen[key]

    def number(self, text):
        return self.s.RealVal(text)


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
    sets = {"before": case["before"], "after": case["after"]}
    rules = Rules(world, sets[claim["set"]])
    if claim["kind"] == "impossible":
        return rules.tree(sets[claim["set"]][claim["rule"]]["variables"]["rule"])
    gives = rules.gives(claim["role"])
    if claim["kind"] == "contained":
        return world.all_of([gives, world.negate(Rules(world, sets[claim["other"]]).gives(claim["role"]))])
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


def has_model(solver, case, claim):
    world = Symbolic(solver, width_for(case, claim))
    formula = counterexample(world, case, claim)
    judge = solver.Solver()
    judge.add(*world.facts, formula)
    answer = str(judge.check())
    if answer not in ("sat", "unsat"):
        raise RuntimeError(f"{solver.__name__} says {answer}")
    return answer == "sat"


def main():
    judged = {"proven": 0, "disproven": 0, "unproven": 0}
    disagreements = []
    for line in sys.stdin:
        case = json.loads(line)
        for claim in case["claims"]:
            judged[claim["answer"]] += 1
            said = claim["answer"]
            note = {"seed": case["seed"], "claim": claim["kind"], "answer": said}
            if "example" in claim and not counterexample(member_of(claim["example"]), case, claim):
                disagreements.append({**note, "judge": "replay"})
            if said == "unproven":
                continue
            for solver in (z3, cvc5):
                if has_model(solver, case, claim) != (said == "disproven"):
                    disagreements.append({**note, "judge": solver.__name__})
    print(json.dumps({"judged": judged, "disagreements": disagreements}))


main()
