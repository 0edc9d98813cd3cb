/** A Boolean function, as the number of its node. Equal functions have equal numbers. */
export type Bdd = number;

/** Thrown when a proof takes more nodes or steps than allowed. */
export class TooLarge extends Error {
  override name = 'TooLarge';
  override message = 'The rules are too large to prove anything about them.';
}

/** How many steps may still be taken, for one question or for several together: few nodes can take many steps to find. */
export interface Effort {
  stepsLeft: number;
}

const terminal = 2 ** 30;
const smallestTable = 2 ** 10;

/**
 * Reduced ordered binary decision diagrams (Bryant 1986). Variables are numbers, and lower ones are tested first. Two
 * functions are equal if and only if their numbers are, so that questions about them need no search. Nodes live in typed
 * arrays: a diagram that exists for one question has no time for objects.
 */
export class BddManager {
  static readonly no: Bdd = 0;
  static readonly yes: Bdd = 1;

  #size = 2;
  #variable = new Int32Array(smallestTable).fill(terminal, 0, 2);
  #low = new Int32Array(smallestTable).fill(1, 1, 2);
  #high = new Int32Array(smallestTable).fill(1, 1, 2);
  /** Nodes by the hash of their variable and branches, with linear probing. Twice as long as the arrays of nodes. */
  #unique = new Int32Array(2 * smallestTable);
  /** Recent results of `ifThenElse`: condition, branches and result in four places. A newer result replaces an older one. */
  #memo = new Int32Array(4 * smallestTable);
  readonly #mostNodes: number;
  readonly #effort: Effort;

  constructor(mostNodes: number, effort: Effort) {
    this.#mostNodes = mostNodes;
    this.#effort = effort;
  }

  get size(): number {
    return this.#size;
  }

  variable(index: number): Bdd {
    return this.#node(index, BddManager.no, BddManager.yes);
  }

  /** `condition` decides between the two others. Every other operation is one of these. */
  ifThenElse(condition: Bdd, then: Bdd, otherwise: Bdd): Bdd {
    if (condition === BddManager.yes || then === otherwise) return then;
    if (condition === BddManager.no) return otherwise;
    if (then === condition) then = BddManager.yes;
    if (otherwise === condition) otherwise = BddManager.no;
    if (then === BddManager.yes && otherwise === BddManager.no) return condition;
    // "And" and "or" are the same from both sides, so that one is remembered for the other.
    if (otherwise === BddManager.no && then < condition) return this.#decide(then, condition, otherwise);
    if (then === BddManager.yes && otherwise < condition) return this.#decide(otherwise, then, condition);
    return this.#decide(condition, then, otherwise);
  }

  #decide(condition: Bdd, then: Bdd, otherwise: Bdd): Bdd {
    if (this.#effort.stepsLeft <= 0) throw new TooLarge();
    this.#effort.stepsLeft -= 1;
    const place = this.#memoPlace(condition, then, otherwise);
    const memo = this.#memo;
    if (memo[place] === condition && memo[place + 1] === then && memo[place + 2] === otherwise)
      return memo[place + 3] ?? 0;
    const ofCondition = this.#variableOf(condition);
    const ofThen = this.#variableOf(then);
    const ofOther = this.#variableOf(otherwise);
    const top = Math.min(ofCondition, ofThen, ofOther);
    const low = this.ifThenElse(
      ofCondition === top ? (this.#low[condition] ?? 0) : condition,
      ofThen === top ? (this.#low[then] ?? 0) : then,
      ofOther === top ? (this.#low[otherwise] ?? 0) : otherwise,
    );
    const high = this.ifThenElse(
      ofCondition === top ? (this.#high[condition] ?? 0) : condition,
      ofThen === top ? (this.#high[then] ?? 0) : then,
      ofOther === top ? (this.#high[otherwise] ?? 0) : otherwise,
    );
    const result = this.#node(top, low, high);
    // The table may have grown meanwhile.
    const later = this.#memoPlace(condition, then, otherwise);
    this.#memo[later] = condition;
    this.#memo[later + 1] = then;
    this.#memo[later + 2] = otherwise;
    this.#memo[later + 3] = result;
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

  #node(variable: number, low: Bdd, high: Bdd): Bdd {
    if (low === high) return low;
    let slot = hashOf(variable, low, high) & (this.#unique.length - 1);
    for (let node = this.#unique[slot] ?? 0; node !== 0; node = this.#unique[slot] ?? 0) {
      if (this.#variable[node] === variable && this.#low[node] === low && this.#high[node] === high) return node;
      slot = (slot + 1) & (this.#unique.length - 1);
    }
    if (this.#size >= this.#mostNodes) throw new TooLarge();
    const node = this.#size;
    this.#size += 1;
    this.#variable[node] = variable;
    this.#low[node] = low;
    this.#high[node] = high;
    this.#unique[slot] = node;
    if (this.#size === this.#variable.length) this.#grow();
    return node;
  }

  #grow(): void {
    const length = 2 * this.#size;
    this.#variable = lengthen(this.#variable, length);
    this.#low = lengthen(this.#low, length);
    this.#high = lengthen(this.#high, length);
    this.#memo = new Int32Array(4 * length);
    this.#unique = new Int32Array(2 * length);
    for (let node = 2; node < this.#size; node += 1) {
      let slot = hashOf(this.#variableOf(node), this.#low[node] ?? 0, this.#high[node] ?? 0) & (2 * length - 1);
      while (this.#unique[slot] !== 0) slot = (slot + 1) & (2 * length - 1);
      this.#unique[slot] = node;
    }
  }

  #memoPlace(condition: Bdd, then: Bdd, otherwise: Bdd): number {
    return 4 * (hashOf(condition, then, otherwise) & (this.#memo.length / 4 - 1));
  }
}

function hashOf(a: number, b: number, c: number): number {
  const mixed = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77) ^ Math.imul(c, 0xc2b2ae3d);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

function lengthen(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(length);
  longer.set(array);
  return longer;
}
