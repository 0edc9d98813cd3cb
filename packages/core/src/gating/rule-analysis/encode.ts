import { type Asset, type Condition, type Leaf, leavesOf, type RoleComposition } from '../rules/index.ts';
import { type Bdd, BddManager, TooLarge } from './bdd.ts';
import { cutLine, type Interval, isWithin } from './number-line.ts';

type HoldingLeaf = Extract<Leaf, { kind: 'holding' }>;

/** One way to count an asset: of which tokens, since when, at which block, per wallet or of all wallets together. */
export interface Count {
  leaf: HoldingLeaf;
  line: Line;
  /** The variable of each interval: some wallet holds an amount in it, or the wallets together do. */
  variables: readonly number[];
}

/** The amounts of one asset, cut at every bound that a rule has for it. */
export interface Line {
  asset: Asset;
  intervals: readonly Interval[];
  isWhole: boolean;
  counts: Count[];
}

/** A condition that is either met or not, and about which nothing else is known: a trait, a query, a guest pass, a role. */
export interface Fact {
  variable: number;
  /** Absent for a role that the member holds. */
  leaf?: Leaf;
  roleId?: string;
}

/** Each leaf is compared with every bound of its asset. */
const mostLeaves = 1_000;

/** Standards whose amounts can have fractions. All others count whole tokens. */
const fractional = new Set([
  'erc20',
  'superfluid',
  'native',
  'roll',
  'moloch',
  'moca',
  'staking',
  'spl',
  'ft',
  'fa1.2',
  'fa2',
  'call',
  'trustswap',
  'nep141',
  'brc20',
  'score',
  'jetton',
]);

/**
 * Conditions as Boolean functions over what a member holds. The number line of each asset is cut at every bound that
 * occurs, with one variable for each interval, so that a bound is the disjunction of some intervals. Conditions that are no
 * amounts are variables of their own.
 */
export class Encoding {
  readonly bdds: BddManager;
  readonly lines = new Map<string, Line>();
  readonly facts = new Map<string, Fact>();
  readonly #counts = new Map<string, Count>();
  /** The variable of each chain: the member has a wallet there. It comes before those of the amounts, which depend on it. */
  readonly #wallets = new Map<string, number>();
  readonly #encoded = new WeakMap<Condition, Bdd>();
  #variables = 0;
  #possible: Bdd | undefined;

  /** All conditions that will be encoded must be known from the start, since their bounds cut the number lines. */
  constructor(conditions: readonly Condition[], mostNodes: number) {
    this.bdds = new BddManager(mostNodes);
    const leaves = conditions.flatMap(leavesOf);
    if (leaves.length > mostLeaves) throw new TooLarge();
    const holdings = leaves.filter((leaf) => leaf.kind === 'holding');
    for (const chain of new Set(holdings.map(({ asset }) => asset.chain)))
      this.#wallets.set(chain, this.#nextVariable());
    for (const [key, group] of Map.groupBy(holdings, lineKey)) this.#addLine(key, group);
    for (const leaf of leaves) if (leaf.kind !== 'holding' && leaf.kind !== 'composition') this.factOf(leaf);
  }

  /** What a member can hold at all: a sum lies in one interval, and an amount held for long is not above the present one. */
  get possible(): Bdd {
    this.#possible ??= this.#constrain();
    return this.#possible;
  }

  /** The member has a wallet on every chain that a rule counts an amount on. */
  get hasWallets(): Bdd {
    return this.bdds.and(...[...this.#wallets.values()].map((variable) => this.bdds.variable(variable)));
  }

  /** Each condition is encoded once, however many variants of its rule it is a part of. */
  condition(condition: Condition): Bdd {
    const known = this.#encoded.get(condition);
    if (known !== undefined) return known;
    const encoded = this.#encode(condition);
    this.#encoded.set(condition, encoded);
    return encoded;
  }

  #encode(condition: Condition): Bdd {
    const { bdds } = this;
    switch (condition.kind) {
      case 'and':
        return bdds.and(...condition.parts.map((part) => this.condition(part)));
      case 'or':
        return bdds.or(...condition.parts.map((part) => this.condition(part)));
      case 'not':
        return bdds.not(this.condition(condition.part));
      case 'at-least':
        return bdds.atLeast(
          condition.count,
          condition.parts.map((part) => this.condition(part)),
        );
      case 'holding':
        return this.#holding(condition);
      case 'composition':
        return this.composition(condition.composition, (roleId) => this.holdsRole(roleId));
      default:
        return bdds.variable(this.factOf(condition).variable);
    }
  }

  composition({ operator, condition }: RoleComposition, now: (roleId: string) => Bdd): Bdd {
    const parts = Object.entries(condition).map(([id, isHeld]) => (isHeld ? now(id) : this.bdds.not(now(id))));
    return operator === 'and' ? this.bdds.and(...parts) : this.bdds.or(...parts);
  }

  /** The member holds a role that no rule decides. */
  holdsRole(roleId: string): Bdd {
    return this.bdds.variable(this.#keepFact(`role ${roleId}`, { roleId }).variable);
  }

  countOf(leaf: HoldingLeaf): Count {
    const count = this.#counts.get(countKey(leaf));
    if (count === undefined) throw new Error('The condition was not among those that the encoding was made for.');
    return count;
  }

  #holding(leaf: HoldingLeaf): Bdd {
    const { line, variables } = this.countOf(leaf);
    const met = variables.filter((_, index) => {
      const interval = line.intervals[index];
      return interval !== undefined && isWithin(interval, leaf, line.isWhole);
    });
    return this.bdds.or(...met.map((variable) => this.bdds.variable(variable)));
  }

  #addLine(key: string, leaves: readonly HoldingLeaf[]): void {
    const [first] = leaves;
    if (first === undefined) return;
    const isWhole = leaves.some(({ asset }) => asset.tokenIds !== undefined) || !fractional.has(first.asset.standard);
    const line: Line = { asset: first.asset, intervals: cutLine(leaves, isWhole), isWhole, counts: [] };
    const kinds = [...Map.groupBy(leaves, countKey)];
    // Interval by interval, since what is compared with each other should be near each other in the order of variables.
    const variables = kinds.map(() => [] as number[]);
    for (const _ of line.intervals) for (const own of variables) own.push(this.#nextVariable());
    for (const [index, [own, [leaf]]] of kinds.entries()) {
      if (leaf === undefined) continue;
      const count: Count = { leaf, line, variables: variables[index] ?? [] };
      line.counts.push(count);
      this.#counts.set(own, count);
    }
    this.lines.set(key, line);
  }

  /** The variable of a condition that is no amount. */
  factOf(leaf: Leaf): Fact {
    return this.#keepFact(factKey(leaf), { leaf });
  }

  #keepFact(key: string, about: Omit<Fact, 'variable'>): Fact {
    const known = this.facts.get(key);
    if (known !== undefined) return known;
    const fact = { variable: this.#nextVariable(), ...about };
    this.facts.set(key, fact);
    return fact;
  }

  #nextVariable(): number {
    this.#variables += 1;
    return this.#variables - 1;
  }

  #constrain(): Bdd {
    const { bdds } = this;
    const facts = [...this.facts.values()].flatMap(({ leaf, variable }) => {
      const wallet = leaf !== undefined && 'asset' in leaf ? this.#wallets.get(leaf.asset.chain) : undefined;
      return wallet === undefined ? [] : [bdds.implies(bdds.variable(variable), bdds.variable(wallet))];
    });
    return bdds.and(...[...this.lines.values()].flatMap((line) => this.#constrainLine(line)), ...facts);
  }

  /** A wallet on the chain has an amount of every asset there, be it zero. */
  #hasAmount({ line, variables }: Count): Bdd {
    const { bdds } = this;
    const hasWallet = bdds.variable(this.#wallets.get(line.asset.chain) ?? -1);
    return bdds.equals(hasWallet, bdds.or(...variables.map((variable) => bdds.variable(variable))));
  }

  #constrainLine({ counts }: Line): Bdd[] {
    const sums = counts.filter(({ leaf }) => leaf.reading.sumWallets);
    const constraints = [
      ...counts.map((count) => this.#hasAmount(count)),
      ...sums.map(({ variables }) => this.#atMostOne(variables)),
    ];
    for (const less of counts)
      for (const more of counts)
        if (less !== more && isAtMost(less.leaf, more.leaf)) constraints.push(...this.#order(less, more));
    return constraints;
  }

  #atMostOne(variables: readonly number[]): Bdd {
    return this.bdds.not(
      this.bdds.atLeast(
        2,
        variables.map((variable) => this.bdds.variable(variable)),
      ),
    );
  }

  /** Every wallet, or all together, has by one count at most what it has by the other. */
  #order(less: Count, more: Count): Bdd[] {
    const { bdds } = this;
    const above = this.#sums(more.variables.toReversed()).toReversed();
    const upward = less.variables.map((variable, index) =>
      bdds.implies(bdds.variable(variable), above[index] ?? BddManager.no),
    );
    const [ofLess, ofMore] = [less.leaf.reading, more.leaf.reading];
    // Nothing follows for a single wallet where the other count has more wallets: those may hold the rest.
    if (ofLess.sumWallets !== ofMore.sumWallets || ofLess.delegation !== ofMore.delegation) return upward;
    const below = this.#sums(less.variables);
    return [
      ...upward,
      ...more.variables.map((variable, index) => bdds.implies(bdds.variable(variable), below[index] ?? BddManager.no)),
    ];
  }

  /** At each place, whether one of the variables up to there is true. */
  #sums(variables: readonly number[]): Bdd[] {
    let any = BddManager.no;
    return variables.map((variable) => {
      any = this.bdds.or(this.bdds.variable(variable), any);
      return any;
    });
  }
}

/** Whether the amount that one leaf counts is never above the amount that the other counts. */
function isAtMost(a: HoldingLeaf, b: HoldingLeaf): boolean {
  const isSameBlock = a.reading.atBlock === b.reading.atBlock;
  const isFewerTokens = b.asset.tokenIds === undefined || tokenIdsText(a) === tokenIdsText(b);
  const isLonger = (a.reading.heldForSeconds ?? 0) >= (b.reading.heldForSeconds ?? 0);
  const isAmongWallets = !a.reading.delegation || b.reading.delegation;
  const isIntoSum = a.reading.sumWallets === b.reading.sumWallets || b.reading.sumWallets;
  return isSameBlock && isFewerTokens && isLonger && isAmongWallets && isIntoSum;
}

/** Leaves with the same key count amounts of the same asset. */
function lineKey({ asset: { chain, standard, reference, details } }: HoldingLeaf): string {
  const sorted = Object.entries(details ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([chain, standard, reference, sorted]);
}

/** Leaves with the same key count it in the same way, and differ in their bounds only. */
function countKey(leaf: HoldingLeaf): string {
  const { sumWallets, heldForSeconds, atBlock, delegation } = leaf.reading;
  return JSON.stringify([
    lineKey(leaf),
    tokenIdsText(leaf),
    sumWallets,
    heldForSeconds ?? 0,
    atBlock ?? null,
    delegation,
  ]);
}

function tokenIdsText({ asset: { tokenIds } }: HoldingLeaf): string | null {
  if (tokenIds === undefined) return null;
  return 'url' in tokenIds ? tokenIds.url : tokenIds.text;
}

/** Equal for conditions that are written alike: what they ask for is not looked into. */
function factKey(leaf: Leaf): string {
  const { label: _label, concealed: _concealed, ...asked } = leaf;
  return JSON.stringify(asked, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
