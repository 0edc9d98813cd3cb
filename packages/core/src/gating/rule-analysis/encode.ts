import { type Asset, type Condition, type Leaf, leavesOf, type RoleComposition } from '../rules/index.ts';
import { type Bdd, BddManager, type Effort, TooLarge } from './bdd.ts';
import { cutLine, type Interval, isOnlyZero, isWithin } from './number-line.ts';
import { arrange } from './order.ts';

type HoldingLeaf = Extract<Leaf, { kind: 'holding' }>;

/** One way to count an asset: of which tokens, since when, at which block, per wallet or of all wallets together. */
export interface Count {
  leaf: HoldingLeaf;
  line: Line;
  /**
   * The variable of each interval: some wallet holds an amount in it, or the wallets together do. The interval from zero has
   * none where no condition tells a wallet that holds nothing from no wallet.
   */
  variables: readonly (number | undefined)[];
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

/** What bounds a proof. */
export interface Limits {
  mostNodes: number;
  effort: Effort;
}

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
  /**
   * The variable of each chain on which holding nothing meets a condition: the member has a wallet there. It comes before
   * those of the amounts, which depend on it.
   */
  readonly #wallets = new Map<string, number>();
  readonly #encoded = new WeakMap<Condition, Bdd>();
  #variables = 0;
  #possible: Bdd | undefined;

  /** All conditions that will be encoded must be known from the start, since their bounds cut the number lines. */
  constructor(conditions: readonly Condition[], { mostNodes, effort }: Limits) {
    this.bdds = new BddManager(mostNodes, effort);
    const leaves = conditions.flatMap(leavesOf);
    if (leaves.length > mostLeaves) throw new TooLarge();
    const holdings = Map.groupBy(
      leaves.filter((leaf) => leaf.kind === 'holding'),
      lineKey,
    );
    const lines = new Map([...holdings].map(([key, of]) => [key, lineOf(of)]));
    for (const [key, of] of holdings) {
      const line = lines.get(key);
      const chain = line?.asset.chain ?? '';
      if (line !== undefined && of.some((leaf) => admitsZero(line, leaf)) && !this.#wallets.has(chain))
        this.#wallets.set(chain, this.#nextVariable());
    }
    const facts = new Map(leaves.filter(isFact).map((leaf) => [factKey(leaf), leaf]));
    for (const subject of arrange(conditions, subjectOf)) {
      const line = lines.get(subject);
      const fact = facts.get(subject);
      if (line !== undefined) this.#addLine(subject, line, holdings.get(subject) ?? []);
      else if (fact !== undefined) this.factOf(fact);
    }
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

  isPossible(f: Bdd): boolean {
    return this.bdds.and(this.possible, f) !== BddManager.no;
  }

  /** Each condition is encoded once, however many questions it is a part of. */
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
        return this.#join(condition.parts, BddManager.no, (part, all) => bdds.and(part, all));
      case 'or':
        return this.#join(condition.parts, BddManager.yes, (part, any) => bdds.or(part, any));
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

  /** Joins from the last to the first, as the order of variables wants it, and stops at a part that decides the whole. */
  #join(parts: readonly Condition[], decisive: Bdd, join: (part: Bdd, joined: Bdd) => Bdd): Bdd {
    let joined = decisive === BddManager.no ? BddManager.yes : BddManager.no;
    for (const part of parts.toReversed()) {
      joined = join(this.condition(part), joined);
      if (joined === decisive) break;
    }
    return joined;
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
    const met = variables.filter((variable, index) => {
      const interval = line.intervals[index];
      return variable !== undefined && interval !== undefined && isWithin(interval, leaf, line.isWhole);
    });
    return this.#any(met);
  }

  #any(variables: readonly (number | undefined)[]): Bdd {
    return this.bdds.or(...presentOf(variables).map((variable) => this.bdds.variable(variable)));
  }

  #addLine(key: string, line: Line, leaves: readonly HoldingLeaf[]): void {
    const kinds = [...Map.groupBy(leaves, countKey)];
    const hasZero = this.#wallets.has(line.asset.chain);
    // Interval by interval, since what is compared with each other should be near each other in the order of variables.
    const variables = kinds.map(() => [] as (number | undefined)[]);
    for (const index of line.intervals.keys())
      for (const own of variables) own.push(index > 0 || hasZero ? this.#nextVariable() : undefined);
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

  /** A wallet on the chain has an amount of every asset there, be it zero. Nothing follows where zero is not told apart. */
  #hasAmount({ line, variables }: Count): Bdd {
    const wallet = this.#wallets.get(line.asset.chain);
    return wallet === undefined ? BddManager.yes : this.bdds.equals(this.bdds.variable(wallet), this.#any(variables));
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
    for (const sum of sums)
      for (const single of counts)
        if (!single.leaf.reading.sumWallets && isPart(sum.leaf, single.leaf))
          constraints.push(...this.#hasPart(sum, single));
    return constraints;
  }

  /** Wallets that together hold more than nothing include one that does, and it holds at most what they do. */
  #hasPart(sum: Count, single: Count): Bdd[] {
    const { bdds } = this;
    const { intervals, isWhole } = sum.line;
    const first = isOnlyZero(intervals, isWhole) ? 1 : 0;
    // Where nothing is not told from a little, every wallet may hold that little.
    if (first === 0 && single.variables[0] === undefined) return [];
    const isSame = isPart(single.leaf, sum.leaf);
    return sum.variables.flatMap((variable, index) => {
      if (variable === undefined || index === 0) return [];
      const part = this.#any(single.variables.slice(first, isSame ? index + 1 : undefined));
      return [bdds.implies(bdds.variable(variable), part)];
    });
  }

  #atMostOne(variables: readonly (number | undefined)[]): Bdd {
    return this.bdds.not(
      this.bdds.atLeast(
        2,
        presentOf(variables).map((variable) => this.bdds.variable(variable)),
      ),
    );
  }

  /** Every wallet, or all together, has by one count at most what it has by the other. */
  #order(less: Count, more: Count): Bdd[] {
    const upward = this.#impliesOneOf(less.variables.toReversed(), more.variables.toReversed());
    const [ofLess, ofMore] = [less.leaf.reading, more.leaf.reading];
    // Nothing follows for a single wallet where the other count has more wallets: those may hold the rest.
    if (ofLess.sumWallets !== ofMore.sumWallets || ofLess.delegation !== ofMore.delegation) return upward;
    return [...upward, ...this.#impliesOneOf(more.variables, less.variables)];
  }

  /** Each of the variables implies one of the others up to its place. An interval without a variable is always possible. */
  #impliesOneOf(variables: readonly (number | undefined)[], others: readonly (number | undefined)[]): Bdd[] {
    const { bdds } = this;
    let any = BddManager.no;
    return variables.map((variable, index) => {
      const other = others[index];
      any = other === undefined ? BddManager.yes : bdds.or(bdds.variable(other), any);
      return variable === undefined ? BddManager.yes : bdds.implies(bdds.variable(variable), any);
    });
  }
}

function lineOf(leaves: readonly HoldingLeaf[]): Line {
  const [{ asset }] = leaves as readonly [HoldingLeaf];
  const isWhole = leaves.some((leaf) => leaf.asset.tokenIds !== undefined) || !fractional.has(asset.standard);
  return { asset, intervals: cutLine(leaves, isWhole), isWhole, counts: [] };
}

function admitsZero({ intervals, isWhole }: Line, leaf: HoldingLeaf): boolean {
  const [first] = intervals;
  return first !== undefined && isWithin(first, leaf, isWhole);
}

function presentOf(variables: readonly (number | undefined)[]): number[] {
  return variables.filter((variable) => variable !== undefined);
}

function isFact(leaf: Leaf): boolean {
  return leaf.kind !== 'holding' && leaf.kind !== 'composition';
}

/** What the variables of a leaf are about; absent for one about roles. */
export function subjectOf(leaf: Leaf): string | undefined {
  if (leaf.kind === 'composition') return undefined;
  return leaf.kind === 'holding' ? lineKey(leaf) : factKey(leaf);
}

/** Whether the amount that one leaf counts is never above the amount that the other counts. */
export function isAtMost(a: HoldingLeaf, b: HoldingLeaf): boolean {
  return isPart(a, b) && (a.reading.sumWallets === b.reading.sumWallets || b.reading.sumWallets);
}

/** The same for each wallet: of no more tokens, held for at least as long, in no more wallets. */
function isPart(a: HoldingLeaf, b: HoldingLeaf): boolean {
  const isSameBlock = a.reading.atBlock === b.reading.atBlock;
  const isFewerTokens = b.asset.tokenIds === undefined || tokenIdsText(a) === tokenIdsText(b);
  const isLonger = (a.reading.heldForSeconds ?? 0) >= (b.reading.heldForSeconds ?? 0);
  const isAmongWallets = !a.reading.delegation || b.reading.delegation;
  return isSameBlock && isFewerTokens && isLonger && isAmongWallets;
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
  const { label: _label, concealed: _concealed, ...request } = leaf;
  return JSON.stringify(request, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
