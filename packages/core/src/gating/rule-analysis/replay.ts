import { parseTokenIds } from '@latchkey/kernel';
import type { Answer } from '../../ports/index.ts';
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  subtractDecimals,
  zero,
} from '../../shared/decimal.ts';
import type { OpenRules } from '../evaluation/index.ts';
import {
  type Asset,
  allOf,
  anyOf,
  atLeastOf,
  type Condition,
  composeRoles,
  type DecideInput,
  decide,
  delegationQuestion,
  type Leaf,
  not,
  questionKey,
  questionOf,
  type Reading,
  type RoleComposition,
  type RuleWallet,
  type Truth,
  truthOf,
  walletNamespaceOf,
} from '../rules/index.ts';
import { type Count, type Encoding, isAtMost, type Line } from './encode.ts';
import { amountIn } from './number-line.ts';

/** What a member holds and is, such that an answer of the analysis is true for them. */
export interface Example {
  wallets: { chain: string; holdings: { asset: Asset; reading: Reading; amount: string }[] }[];
  /** Conditions that are no amounts, by how the rules write them. Those that do not matter are left out. */
  conditions: { leaf: Leaf; isMet: boolean }[];
  /** Roles that no rule decides. */
  roles: { roleId: string; isHeld: boolean }[];
}

const now = new Date(0);
const anyList = parseTokenIds('0');

/**
 * A member made from values of the variables. The evaluator itself decides the rules for them. The encoding allows a little
 * more than wallets can hold, for example where one asset is counted per wallet and in sum, so an example counts only if the
 * evaluator confirms it.
 */
export class Replay {
  readonly #encoding: Encoding;
  readonly #values: ReadonlyMap<number, boolean>;
  readonly #wallets: RuleWallet[] = [];
  readonly #answers = new Map<string, Answer>();
  readonly #shown: Example['wallets'] = [];
  #isConsistent = true;

  constructor(encoding: Encoding, values: ReadonlyMap<number, boolean>) {
    this.#encoding = encoding;
    this.#values = values;
    const byChain = Map.groupBy(encoding.lines.values(), ({ asset }) => asset.chain);
    for (const [chain, lines] of byChain) this.#addWallets(chain, lines);
  }

  /** False if a wallet would hold more by one way to count than by another that counts at least as much. */
  get isConsistent(): boolean {
    return this.#isConsistent;
  }

  example(): Example {
    const facts = [...this.#encoding.facts.values()]
      .filter(({ variable }) => this.#values.has(variable))
      .map((fact) => ({ ...fact, isTrue: this.#isTrue(fact.variable) }));
    return {
      wallets: this.#shown,
      conditions: facts.flatMap(({ leaf, isTrue }) => (leaf === undefined ? [] : [{ leaf, isMet: isTrue }])),
      roles: facts.flatMap(({ roleId, isTrue }) => (roleId === undefined ? [] : [{ roleId, isHeld: isTrue }])),
    };
  }

  async decideCondition(condition: Condition): Promise<Truth> {
    switch (condition.kind) {
      case 'and':
        return allOf(await this.#decideParts(condition.parts));
      case 'or':
        return anyOf(await this.#decideParts(condition.parts));
      case 'at-least':
        return atLeastOf(condition.count, await this.#decideParts(condition.parts));
      case 'not':
        return not(await this.decideCondition(condition.part));
      case 'holding':
      case 'composition':
        return (await decide({ condition }, this.#input())).truth;
      default:
        return truthOf(this.#isTrue(this.#encoding.factOf(condition).variable));
    }
  }

  /** Whether the rules give a role; false for one that nothing decides. */
  async decideRole(set: OpenRules, roleId: string): Promise<Truth> {
    return (await this.#decideRoles(set)).get(roleId) ?? 'false';
  }

  /** Whether the member has a role afterwards: one that nothing decides stays as it is. */
  async decideHeldRole(set: OpenRules, roleId: string): Promise<Truth> {
    return (await this.#decideRoles(set)).get(roleId) ?? truthOf(this.#heldRoles().includes(roleId));
  }

  /** Whether the condition of one of these compositions is met. */
  async meetsAny(set: OpenRules, compositions: readonly RoleComposition[]): Promise<Truth> {
    const decided = await this.#decideRoles(set);
    const held = this.#heldRoles();
    return anyOf(
      compositions.map(({ operator, condition }) => {
        const truths = Object.entries(condition).map(([id, isHeld]) => {
          const truth = decided.get(id) ?? truthOf(held.includes(id));
          return isHeld ? truth : not(truth);
        });
        return operator === 'and' ? allOf(truths) : anyOf(truths);
      }),
    );
  }

  async #decideRoles({ rules, compositions }: OpenRules): Promise<Map<string, Truth>> {
    const decided = new Map<string, Truth>();
    for (const open of rules) {
      const truth = 'rule' in open ? await this.decideCondition(open.rule.condition) : 'unknown';
      decided.set(open.roleId, anyOf([decided.get(open.roleId) ?? 'false', truth]));
    }
    return composeRoles(decided, compositions, this.#heldRoles());
  }

  #decideParts(parts: readonly Condition[]): Promise<Truth[]> {
    return Promise.all(parts.map((part) => this.decideCondition(part)));
  }

  #input(): DecideInput {
    return { now, wallets: this.#wallets, answers: this.#answers, tokenLists, memberRoles: this.#heldRoles() };
  }

  #heldRoles(): string[] {
    return this.example().roles.flatMap(({ roleId, isHeld }) => (isHeld ? [roleId] : []));
  }

  #isTrue(variable: number): boolean {
    return this.#values.get(variable) === true;
  }

  #addWallets(chain: string, lines: readonly Line[]): void {
    const counts = lines.flatMap((line) => line.counts);
    const length = Math.max(...counts.map((count) => this.#amountsOf(count).length));
    if (length === 0) return;
    const namespace = walletNamespaceOf(chain);
    // As contracts, so that they count on this chain alone.
    const wallets = Array.from({ length }, (_, index) => ({
      namespace,
      address: addressOf(chain, index),
      contractChain: chain,
    }));
    this.#wallets.push(...wallets);
    const shown: Example['wallets'] = wallets.map(() => ({ chain, holdings: [] }));
    for (const line of lines)
      this.#addHoldings([...Map.groupBy(line.counts, ({ leaf }) => questionText(leaf)).values()], wallets, shown);
    this.#shown.push(...shown);
  }

  /** What the wallets hold of one asset, by every question about it. */
  #addHoldings(
    questions: readonly (readonly Count[])[],
    wallets: readonly RuleWallet[],
    shown: Example['wallets'],
  ): void {
    const amounts = new Map<Count, Decimal[]>();
    for (const counts of questions) {
      const [first] = counts;
      if (first === undefined) continue;
      const bounds = questions.some(([other]) => other !== undefined && other !== first && isNeverAbove(other, first));
      const held = this.#amountsOfQuestion(counts, wallets.length, bounds);
      amounts.set(first, held);
      const { asset, reading } = first.leaf;
      const delegation = delegationQuestion(asset, '');
      for (const [index, { address }] of wallets.entries()) {
        const amount = held[index] ?? zero;
        this.#answer(first, address, amount);
        this.#answers.set(questionKey({ ...delegation, account: address }), { kind: 'read', amount: '0', tokens: [] });
        shown[index]?.holdings.push({ asset, reading, amount: formatDecimal(amount) });
      }
    }
    for (const [less, some] of amounts)
      for (const [more, others] of amounts)
        if (less !== more && isNeverAbove(less, more))
          this.#isConsistent &&= some.every((amount, index) => compareDecimals(amount, others[index] ?? zero) <= 0);
  }

  #answer({ leaf }: Count, account: string, amount: Decimal): void {
    const question = questionOf(leaf, account, { now, tokenLists });
    if (question !== undefined)
      this.#answers.set(questionKey(question), { kind: 'read', amount: formatDecimal(amount) });
  }

  /** One amount in each interval that the values name. */
  #amountsOf({ line, variables }: Count): Decimal[] {
    return line.intervals.flatMap((interval, index) =>
      this.#isTrue(variables[index] ?? -1) ? [amountIn(interval)] : [],
    );
  }

  /** What each wallet holds, where the same amounts are counted per wallet, in sum, or both. */
  #amountsOfQuestion(counts: readonly Count[], length: number, bounds: boolean): Decimal[] {
    const [each] = counts.filter(({ leaf }) => !leaf.reading.sumWallets);
    const [sum] = counts.filter(({ leaf }) => leaf.reading.sumWallets).flatMap((count) => this.#amountsOf(count));
    if (each === undefined) return [sum ?? zero, ...Array.from({ length: length - 1 }, () => zero)];
    const own = this.#amountsOf(each);
    const more = (amount: Decimal) => Array.from({ length: length - own.length }, () => amount);
    const largest = own.at(-1);
    // Every wallet may hold what another one holds. It holds much if it must be enough for another count.
    if (sum === undefined && bounds && largest !== undefined) return [...own, ...more(largest)];
    // It may hold nothing where that is not told apart.
    const [least = zero] = each.variables[0] === undefined ? [] : own;
    const amounts = [...more(least), ...own];
    const missing = sum === undefined ? zero : subtractDecimals(sum, amounts.reduce(addDecimals, zero));
    const last = amounts.at(-1) ?? zero;
    return compareDecimals(missing, zero) <= 0 ? amounts : [...amounts.slice(0, -1), addDecimals(last, missing)];
  }
}

/** Whether no wallet holds more by one way to count than by the other. */
function isNeverAbove(less: Count, more: Count): boolean {
  const perWallet = ({ leaf }: Count) => ({ ...leaf, reading: { ...leaf.reading, sumWallets: false } });
  return isAtMost(perWallet(less), perWallet(more));
}

/** Lists of token ids by URL: which ids they hold does not matter, since amounts are given for the whole list. */
const tokenLists: ReadonlyMap<string, typeof anyList> = Object.assign(new Map<string, typeof anyList>(), {
  get: () => anyList,
});

function questionText({ asset: { tokenIds }, reading: { heldForSeconds, atBlock } }: Count['leaf']): string {
  const ids = tokenIds === undefined ? null : 'url' in tokenIds ? tokenIds.url : tokenIds.text;
  return JSON.stringify([ids, heldForSeconds ?? 0, atBlock ?? null]);
}

function addressOf(chain: string, index: number): string {
  const digits = (index + 1).toString(16).padStart(40, '0');
  return walletNamespaceOf(chain) === 'evm' ? `0x${digits}` : `example-${index + 1}`;
}
