import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seedNumber, volume } from '@latchkey/test-kit';
import type { Answer, Question } from '../../ports/index.ts';
import { costBound, costOf, decide, questionKey, questionsOf, type RuleWallet, readRule } from './index.ts';

/** Random numbers that repeat with the same seed (mulberry32). */
function numbersFrom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const oneOf = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  return { below, oneOf, chance: (share: number) => next() < share };
}
type Numbers = ReturnType<typeof numbersFrom>;

const contracts = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`);
const people = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`);
const vaults = ['e', 'f'].map((digit) => `0x${digit.repeat(40)}`);

interface Leaf {
  type: string;
  chainId?: number;
  contractAddress: string;
  minToken?: string;
  maxToken?: string;
  tokenId?: string;
  query?: string;
  version?: string;
  variables: { _sumWallets?: boolean; _delegation?: boolean; _filter?: { minCount?: string; maxCount?: string } };
}
type Tree = { and: Tree[] } | { or: Tree[] } | { not: Tree } | { atLeast: number; of: Tree[] } | Leaf;

/** The holdings of every wallet, in hundredths; null cannot be read. */
interface World {
  coins(chain: string, contract: string, account: string): number | null;
  tokens(chain: string, contract: string, account: string): number[] | null;
  vaultsOf(chain: string, contract: string, account: string): string[] | null;
}

function makeWorld(seed: number, unreadable: number): World {
  const at = (...parts: string[]) => {
    let hash = seed;
    for (const char of parts.join('|')) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) | 0;
    return numbersFrom(hash);
  };
  return {
    coins: (...place) => {
      const numbers = at('coins', ...place);
      return numbers.chance(unreadable) ? null : numbers.below(500);
    },
    tokens: (...place) => {
      const numbers = at('tokens', ...place);
      return numbers.chance(unreadable) ? null : [0, 1, 2, 3, 4, 5, 6, 7].filter(() => numbers.chance(0.25));
    },
    vaultsOf: (...place) => {
      const numbers = at('vaults', ...place);
      return numbers.chance(unreadable) ? null : vaults.filter(() => numbers.chance(0.4));
    },
  };
}

function makeLeaf(numbers: Numbers): Leaf {
  const type = numbers.oneOf(['ERC20', 'ERC20', 'ERC721', 'ERC1155', 'NEP141']);
  const isEvm = type !== 'NEP141';
  const variables: Leaf['variables'] = {
    ...(numbers.chance(0.3) && { _sumWallets: true }),
    ...(isEvm && numbers.chance(0.15) && { _delegation: true }),
  };
  const amount = () => (type === 'ERC20' || type === 'NEP141' ? numbers.below(600) / 100 : numbers.below(4)).toString();
  const [least, most] = [amount(), amount()].toSorted((a, b) => Number(a) - Number(b));
  const bounds = { ...(numbers.chance(0.8) && { min: least }), ...(numbers.chance(0.3) && { max: most }) };
  if (bounds.min === undefined && Number(bounds.max) < 1) delete bounds.max;
  const needsIds = type === 'ERC1155' || (type === 'ERC721' && numbers.chance(0.5));
  const base = {
    type,
    contractAddress: isEvm ? numbers.oneOf(contracts) : 'token.near',
    ...(isEvm && { chainId: numbers.oneOf([1, 137]) }),
    ...(needsIds && { tokenId: numbers.oneOf(['1,3, 5', '2-4', '0-2 6', '0x5', '{1,4}', '[2-5]']) }),
  };
  if (numbers.chance(0.7)) {
    const { min, max } = bounds;
    return {
      ...base,
      variables,
      ...(min !== undefined && { minToken: min }),
      ...(max !== undefined && { maxToken: max }),
    };
  }
  const filter = { ...(bounds.min && { minCount: bounds.min }), ...(bounds.max && { maxCount: bounds.max }) };
  const query = '$ownsBalance($, $_filter)';
  // In brackets it is not recognized as the usual query, so JSONata has to evaluate it.
  return {
    ...base,
    version: '2.1.0',
    query: numbers.chance(0.1) ? `(${query})` : query,
    variables: { ...variables, _filter: filter },
  };
}

function makeTree(numbers: Numbers, depth: number): Tree {
  if (depth === 0 || numbers.chance(0.3)) return makeLeaf(numbers);
  const parts = () => Array.from({ length: 1 + numbers.below(3) }, () => makeTree(numbers, depth - 1));
  const kind = numbers.below(4);
  if (kind === 0) return { and: parts() };
  if (kind === 1) return { or: parts() };
  if (kind === 2) return { not: makeTree(numbers, depth - 1) };
  const of = parts();
  return { atLeast: 1 + numbers.below(of.length), of };
}

const idLists: Record<string, number[]> = {
  '1,3, 5': [1, 3, 5],
  '2-4': [2, 3, 4],
  '0-2 6': [0, 1, 2, 6],
  '0x5': [5],
  '{1,4}': [1, 4],
  '[2-5]': [2, 3, 4, 5],
};

type Three = boolean | null;

/** A naive evaluator: no sharing, no questions, floating point only where hundredths are whole. */
function naive(tree: Tree, wallets: readonly RuleWallet[], world: World): Three {
  if ('and' in tree) return tree.and.map((part) => naive(part, wallets, world)).reduce(both, true);
  if ('or' in tree) return flip(tree.or.map((part) => flip(naive(part, wallets, world))).reduce(both, true));
  if ('not' in tree) return flip(naive(tree.not, wallets, world));
  if ('of' in tree) {
    const results = tree.of.map((part) => naive(part, wallets, world));
    const yes = results.filter((result) => result === true).length;
    const open = results.filter((result) => result === null).length;
    return yes >= tree.atLeast ? true : yes + open >= tree.atLeast ? null : false;
  }
  return naiveLeaf(tree, wallets, world);
}

function both(a: Three, b: Three): Three {
  if (a === false || b === false) return false;
  return a === null || b === null ? null : true;
}

function flip(value: Three): Three {
  return value === null ? null : !value;
}

function naiveLeaf(leaf: Leaf, wallets: readonly RuleWallet[], world: World): Three {
  const isNear = leaf.type === 'NEP141';
  const chain = isNear ? 'near:mainnet' : `evm:${leaf.chainId}`;
  const own = wallets.filter(({ namespace }) => namespace === (isNear ? 'near' : 'evm')).map(({ address }) => address);
  if (own.length === 0) return false;
  const accounts = [...own];
  let areVaultsOpen = false;
  for (const wallet of leaf.variables._delegation ? own : []) {
    const found = world.vaultsOf(chain, leaf.contractAddress, wallet);
    if (found === null) areVaultsOpen = true;
    for (const vault of found ?? []) if (!accounts.includes(vault)) accounts.push(vault);
  }
  const held = accounts.map((account) => naiveAmount(leaf, chain, account, world));
  const cents = (text: string | undefined) => (text === undefined ? undefined : Math.round(Number(text) * 100));
  const { _filter: filter } = leaf.variables;
  const min = cents(filter ? filter.minCount : leaf.minToken) ?? 100;
  const max = cents(filter ? filter.maxCount : leaf.maxToken);
  const isQuery = leaf.query?.startsWith('(') ?? false;
  if (leaf.variables._sumWallets) {
    const open = areVaultsOpen || held.includes(null);
    const sum = held.reduce<number>((total, amount) => total + (amount ?? 0), 0);
    if (!open) return sum >= min && (max === undefined || sum <= max);
    // A query needs all amounts or none; a sum can only grow.
    if (isQuery) return null;
    if (max !== undefined && sum > max) return false;
    return max === undefined && sum >= min ? true : null;
  }
  const results = held.map((amount) =>
    amount === null ? null : amount >= min && (max === undefined || amount <= max),
  );
  if (results.includes(true)) return true;
  return areVaultsOpen || results.includes(null) ? null : false;
}

function naiveAmount(leaf: Leaf, chain: string, account: string, world: World): number | null {
  if (leaf.type === 'ERC20' || leaf.type === 'NEP141') return world.coins(chain, leaf.contractAddress, account);
  const tokens = world.tokens(chain, leaf.contractAddress, account);
  if (tokens === null) return null;
  const wanted = leaf.tokenId === undefined ? undefined : idLists[leaf.tokenId];
  return tokens.filter((id) => wanted === undefined || wanted.includes(id)).length * 100;
}

/** What a reader would return in this world. */
function answerIn(world: World, { chain, standard, reference, account, details, needs, tokenIds }: Question): Answer {
  const unknown: Answer = { kind: 'unknown', reason: 'It cannot be read today.' };
  if (standard === 'delegate') {
    const found = world.vaultsOf(chain, details?.contract ?? '', account);
    const tokens = found?.map((id) => ({ id, amount: '1' }));
    return tokens === undefined ? unknown : { kind: 'read', amount: String(tokens.length), tokens };
  }
  if (standard === 'erc20' || standard === 'nep141') {
    const cents = world.coins(chain, reference, account);
    return cents === null ? unknown : { kind: 'read', amount: (cents / 100).toFixed(2) };
  }
  const ids = world.tokens(chain, reference, account);
  if (ids === null) return unknown;
  const isListed = needs !== 'amount' || tokenIds !== undefined;
  const tokens = ids.map((id) => ({ id: String(id), amount: '1' }));
  return { kind: 'read', amount: String(ids.length), ...(isListed && { tokens }) };
}

describe('random rules', () => {
  test('nested rules agree with a naive evaluator, and reads stay within the cost shown', async (t) => {
    // Queries are limited to milliseconds of CPU time; with so many, one may coincide with garbage collection.
    const { threadCpuUsage } = process;
    process.threadCpuUsage = () => ({ user: 0, system: 0 });
    t.after(() => {
      process.threadCpuUsage = threadCpuUsage;
    });
    const rules = volume(2_000, 100_000);
    const first = seedNumber('random rules');
    const seen = { true: 0, false: 0, unknown: 0 };
    for (let seed = first; seed < first + rules; seed += 1) {
      const numbers = numbersFrom(seed);
      const tree = makeTree(numbers, 4);
      const world = makeWorld(seed, numbers.oneOf([0, 0.1, 0.4]));
      const wallets: RuleWallet[] = [
        ...people.filter(() => numbers.chance(0.4)).map((address) => ({ namespace: 'evm', address })),
        ...(numbers.chance(0.5) ? [{ namespace: 'near', address: 'alice.near' }] : []),
      ];
      const rule = readRule({ scheme: 'logic', variables: { rule: tree } });
      const now = new Date(0);
      const answers = new Map<string, Answer>();
      let rounds = 0;
      for (;;) {
        const questions = questionsOf(rule, wallets, { now, answers });
        if (questions.length === 0) break;
        rounds += 1;
        for (const question of questions) answers.set(questionKey(question), answerIn(world, question));
      }
      const { truth } = await decide(rule, { now, wallets, answers });
      const expected = naive(tree, wallets, world);
      if (truth !== (expected === null ? 'unknown' : String(expected))) {
        assert.fail(`seed ${seed}: ${truth} instead of ${expected} for ${JSON.stringify(tree)}`);
      }
      assert.ok(rounds <= 2, `seed ${seed} took ${rounds} rounds`);
      const cost = costOf(rule, wallets);
      assert.ok(cost <= costBound(rule, wallets));
      assert.ok(answers.size <= cost, `seed ${seed}: ${answers.size} reads, but the cost shown was ${cost}`);
      seen[truth] += 1;
    }
    // A generator that always produces the same result would prove nothing.
    for (const count of Object.values(seen)) assert.ok(count > rules / 20, JSON.stringify(seen));
    t.diagnostic(`${rules} rules from seed ${first}: ${JSON.stringify(seen)}`);
  });
});
