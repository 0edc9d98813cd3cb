/** A Boolean function, as the number of its node. Equal functions have equal numbers. */
export type Bdd = number;

/** Thrown when a function needs more nodes than allowed. */
export class TooLarge extends Error {
  override name = 'TooLarge';
  override message = 'The rules are too large to prove anything about them.';
}

const terminal = Number.MAX_SAFE_INTEGER;
/** Few nodes can take many steps to find, so both are bounded. */
const mostStepsPerNode = 20;
/** Two numbers of nodes below this make one number that is exact. */
const pairBase = 2 ** 26;

/**
 * Reduced ordered binary decision diagrams (Bryant 1986). Variables are numbers, and lower ones are tested first. Two
 * functions are equal if and only if their numbers are, so that questions about them need no search.
 */
export class BddManager {
  static readonly no: Bdd = 0;
  static readonly yes: Bdd = 1;

  readonly #variable: number[] = [terminal, terminal];
  readonly #low: Bdd[] = [0, 1];
  readonly #high: Bdd[] = [0, 1];
  /** Nodes by their variable, then by both branches. */
  readonly #unique = new Map<number, Map<number, Bdd>>();
  /** Results by their condition, then by both branches. */
  readonly #memo = new Map<Bdd, Map<number, Bdd>>();
  #steps = 0;
  readonly #mostNodes: number;

  constructor(mostNodes: number) {
    this.#mostNodes = mostNodes;
  }

  get size(): number {
    return this.#variable.length;
  }

  variable(index: number): Bdd {
    return this.#node(index, BddManager.no, BddManager.yes);
  }

  /** `condition` decides between the two others. Every other operation is one of these. */
  ifThenElse(condition: Bdd, then: Bdd, otherwise: Bdd): Bdd {
    if (condition === BddManager.yes || then === otherwise) return then;
    if (condition === BddManager.no) return otherwise;
    if (then === BddManager.yes && otherwise === BddManager.no) return condition;
    this.#steps += 1;
    if (this.#steps > mostStepsPerNode * this.#mostNodes) throw new TooLarge();
    const memo = inner(this.#memo, condition);
    const key = then * pairBase + otherwise;
    const known = memo.get(key);
    if (known !== undefined) return known;
    const top = Math.min(this.#variableOf(condition), this.#variableOf(then), this.#variableOf(otherwise));
    const low = this.ifThenElse(
      this.#branch(condition, top, 'low'),
      this.#branch(then, top, 'low'),
      this.#branch(otherwise, top, 'low'),
    );
    const high = this.ifThenElse(
      this.#branch(condition, top, 'high'),
      this.#branch(then, top, 'high'),
      this.#branch(otherwise, top, 'high'),
    );
    const result = this.#node(top, low, high);
    memo.set(key, result);
    return result;
  }

  not(f: Bdd): Bdd {
    return this.ifThenElse(f, BddManager.no, BddManager.yes);
  }

  // Parts mostly come in the order of their variables. From the last to the first, each step then adds above what is there.
  and(...parts: readonly Bdd[]): Bdd {
    return parts.reduceRight<Bdd>((all, part) => this.ifThenElse(part, all, BddManager.no), BddManager.yes);
  }

  or(...parts: readonly Bdd[]): Bdd {
    return parts.reduceRight<Bdd>((any, part) => this.ifThenElse(part, BddManager.yes, any), BddManager.no);
  }

  implies(f: Bdd, g: Bdd): Bdd {
    return this.ifThenElse(f, g, BddManager.yes);
  }

  equals(f: Bdd, g: Bdd): Bdd {
    return this.ifThenElse(f, g, this.not(g));
  }

  /** At least `count` of the parts. */
  atLeast(count: number, parts: readonly Bdd[]): Bdd {
    // The entry at n: at least n of the parts so far.
    const reached: Bdd[] = [BddManager.yes, ...Array.from({ length: count }, () => BddManager.no)];
    for (const part of parts.toReversed())
      for (let n = count; n > 0; n -= 1) reached[n] = this.ifThenElse(part, reached[n - 1] ?? 0, reached[n] ?? 0);
    return reached[count] ?? BddManager.no;
  }

  /** Values of variables for which the function is true; a variable that is absent does not matter. */
  example(f: Bdd): ReadonlyMap<number, boolean> | undefined {
    if (f === BddManager.no) return undefined;
    const values = new Map<number, boolean>();
    for (let node = f; node !== BddManager.yes; ) {
      const low = this.#low[node] ?? BddManager.no;
      const isHigh = low === BddManager.no;
      values.set(this.#variableOf(node), isHigh);
      node = isHigh ? (this.#high[node] ?? BddManager.no) : low;
    }
    return values;
  }

  #variableOf(node: Bdd): number {
    return this.#variable[node] ?? terminal;
  }

  #branch(node: Bdd, variable: number, side: 'low' | 'high'): Bdd {
    if (this.#variableOf(node) !== variable) return node;
    return (side === 'low' ? this.#low[node] : this.#high[node]) ?? node;
  }

  #node(variable: number, low: Bdd, high: Bdd): Bdd {
    if (low === high) return low;
    const unique = inner(this.#unique, variable);
    const key = low * pairBase + high;
    const known = unique.get(key);
    if (known !== undefined) return known;
    if (this.size >= this.#mostNodes) throw new TooLarge();
    const node = this.size;
    this.#variable.push(variable);
    this.#low.push(low);
    this.#high.push(high);
    unique.set(key, node);
    return node;
  }
}

function inner(maps: Map<number, Map<number, Bdd>>, key: number): Map<number, Bdd> {
  const known = maps.get(key);
  if (known !== undefined) return known;
  const made = new Map<number, Bdd>();
  maps.set(key, made);
  return made;
}
