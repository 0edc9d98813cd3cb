import type { Dice } from '../dice.ts';
import { callAction } from './act-as.ts';
import type { Chain } from './chain.ts';
import { testAccount } from './test-keys.ts';
import type { Action } from './transaction.ts';

/** What a load consists of, and where its accounts live. */
export interface Produced {
  transactions: number;
  fromHeight: number;
  toHeight: number;
}

type Act = (signer: string, receiver: string, actions: readonly Action[]) => void;

interface Bench {
  chain: Chain;
  dice: Dice;
  act: Act;
  people: readonly string[];
  minted: number;
  subAccounts: number;
}

export const benchRoot = 'bench.near';
const coin = `coin.${benchRoot}`;
const art = `art.${benchRoot}`;
const near = 1_000_000_000_000_000_000_000_000n;

/** Creates the accounts and contracts that a load needs, by transactions, so that an indexer sees them from the start. */
export function prepareBench(act: Act, seed: string, people: readonly string[]): void {
  for (const accountId of people) {
    const { publicKey } = testAccount(seed, accountId);
    act(benchRoot, accountId, [
      { kind: 'CreateAccount' },
      { kind: 'Transfer', deposit: 1_000n * near },
      { kind: 'AddKey', publicKey, nonce: 0n, permission: 'FullAccess' },
    ]);
    act(benchRoot, coin, [callAction('mint', { account_id: accountId, amount: '1000000000' })]);
  }
}

export function benchPeople(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `p${index}.${benchRoot}`);
}

const kinds: readonly [share: number, make: (bench: Bench) => void][] = [
  [
    30,
    ({ act, dice, people }) => {
      const [from, to] = [pick(people, dice), pick(people, dice)];
      act(from, to, [{ kind: 'Transfer', deposit: BigInt(dice.roll(1_000_000)) + 1n }]);
    },
  ],
  [
    30,
    ({ act, dice, people }) => {
      const [from, to] = [pick(people, dice), pick(people, dice)];
      const args = { receiver_id: to, amount: String(dice.roll(1_000) + 1) };
      act(from, coin, [callAction('ft_transfer', args, { deposit: 1n })]);
    },
  ],
  [20, mint],
  [15, passOn],
  [
    5,
    (bench) => {
      bench.subAccounts += 1;
      const parent = pick(bench.people, bench.dice);
      bench.act(parent, `s${bench.subAccounts}.${parent}`, [
        { kind: 'CreateAccount' },
        { kind: 'Transfer', deposit: near / 100n },
      ]);
    },
  ],
];

function mint(bench: Bench): void {
  const args = {
    token_id: String(bench.minted),
    receiver_id: pick(bench.people, bench.dice),
    metadata: { title: `No. ${bench.minted}` },
  };
  bench.minted += 1;
  bench.act(benchRoot, art, [callAction('nft_mint', args)]);
}

function passOn(bench: Bench): void {
  const { chain, dice, people, act, minted } = bench;
  if (minted === 0) return void mint(bench);
  const id = String(dice.roll(minted));
  const owner = ownerOf(chain, id);
  const args = { receiver_id: pick(people, dice), token_id: id };
  act(owner ?? pick(people, dice), art, [callAction('nft_transfer', args, { deposit: 1n })]);
}

/** Returns the owner of a token from the contract's storage: a view call for each transaction would take too long. */
function ownerOf({ state }: Chain, id: string): string | undefined {
  const kept = state.get(`data/${art}/t/${id}`);
  return kept instanceof Uint8Array ? Object(JSON.parse(Buffer.from(kept).toString('utf8'))).o : undefined;
}

function pick(people: readonly string[], dice: Dice): string {
  return people[dice.roll(people.length)] ?? benchRoot;
}

/** Produces transactions: transfers of NEAR, of coins and of tokens, mints and new accounts. */
export function throwTransactions(bench: Bench, count: number): void {
  const total = kinds.reduce((sum, [share]) => sum + share, 0);
  for (let made = 0; made < count; made += 1) {
    let thrown = bench.dice.roll(total);
    const kind = kinds.find(([share]) => {
      thrown -= share;
      return thrown < 0;
    });
    kind?.[1](bench);
  }
}

export type { Bench };
export const benchContracts = { coin, art } as const;
