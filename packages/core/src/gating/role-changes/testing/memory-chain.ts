import type {
  Answer,
  ChainCursor,
  ChainFollower,
  HoldingChange,
  HoldingsReader,
  Question,
} from '../../../ports/index.ts';

interface Block extends ChainCursor {
  /** All balances after this block, by contract and account. */
  balances: ReadonlyMap<string, string>;
  moved: readonly { contract: string; account: string }[];
}

/** A chain in memory that can be reorganized: balances are read at its head, and it is followed at a depth. */
export interface MemoryChain {
  follower: ChainFollower;
  holdings: HoldingsReader & { calls: number; questions: number };
  /** Adds a block that sets these balances. */
  mine(changes?: readonly { contract: string; account: string; amount: string }[]): void;
  /** Removes blocks from the head. */
  cut(blocks: number): void;
  /** Starts another chain from the first block, as a development node does. */
  reset(): void;
  /** Makes all reads and steps fail from now on, or work again. */
  fail(isDown: boolean): void;
  balanceOf(contract: string, account: string): string;
}

export function memoryChain(name: string): MemoryChain {
  let forks = 0;
  let isDown = false;
  const genesis = (): Block => ({ number: '0', hash: `genesis-${forks}`, balances: new Map(), moved: [] });
  let blocks: Block[] = [genesis()];
  const keyOf = (contract: string, account: string) => `${contract}/${account}`.toLowerCase();
  const head = () => blocks.at(-1) ?? genesis();
  const cursor = ({ number, hash }: ChainCursor): ChainCursor => ({ number, hash });
  const has = ({ number, hash }: ChainCursor) => blocks[Number(number)]?.hash === hash;
  const balanceOf = (contract: string, account: string) => head().balances.get(keyOf(contract, account)) ?? '0';
  const answer = ({ chain, reference, account }: Question): Answer =>
    isDown || chain !== name
      ? { kind: 'unknown', reason: 'The node is down.' }
      : { kind: 'read', amount: balanceOf(reference, account), block: cursor(head()) };
  const holdings = {
    calls: 0,
    questions: 0,
    reads: () => true,
    read: async (questions: readonly Question[]) => {
      holdings.calls += 1;
      holdings.questions += questions.length;
      return questions.map(answer);
    },
  };
  return {
    holdings,
    balanceOf,
    mine: (changes = []) => {
      forks += 1;
      const balances = new Map(head().balances);
      for (const { contract, account, amount } of changes) balances.set(keyOf(contract, account), amount);
      blocks.push({ number: String(blocks.length), hash: `${blocks.length}-${forks}`, balances, moved: changes });
    },
    cut: (count) => void blocks.splice(Math.max(1, blocks.length - count)),
    reset: () => {
      forks += 1;
      blocks = [genesis()];
    },
    fail: (down) => {
      isDown = down;
    },
    follower: {
      announces: ({ chain }) => chain === name,
      start: async (_chain, depth) =>
        isDown ? undefined : cursor(blocks[Math.max(0, blocks.length - 1 - depth)] ?? head()),
      next: async (_chain, { passed, contracts, depth }) => {
        const [newest] = passed;
        if (isDown || newest === undefined) return { kind: 'unknown', reason: 'The node is down.' };
        if (!has(newest)) {
          const ancestor = passed.find(has);
          return ancestor ? { kind: 'reorganised', ancestor } : { kind: 'unknown', reason: 'Another chain.' };
        }
        const end = blocks[blocks.length - 1 - depth];
        if (end === undefined || Number(end.number) <= Number(newest.number)) return { kind: 'waiting' };
        const passedNow = blocks.slice(Number(newest.number) + 1, Number(end.number) + 1);
        const changes = passedNow.flatMap((block): HoldingChange[] =>
          block.moved
            .filter(({ contract }) => contracts.includes(contract))
            .map(({ contract, account }) => ({ contract, account, block: cursor(block) })),
        );
        return { kind: 'advanced', to: cursor(end), blocks: passedNow.map(cursor), changes };
      },
    },
  };
}
