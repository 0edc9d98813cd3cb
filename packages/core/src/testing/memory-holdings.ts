import type { Answer, HeldToken, HoldingsReader, Question } from '../ports/index.ts';

/** What accounts hold, in memory. What was never set is zero; what was set to unknown stays unknown. */
export interface MemoryHoldings extends HoldingsReader {
  /** Every question that was asked, in order. */
  requests: Question[];
  /** How often `read` was called. */
  calls: number;
  set(holding: Pick<Question, 'chain' | 'standard' | 'reference' | 'account'>, answer: string | Answer): void;
  give(holding: Pick<Question, 'chain' | 'standard' | 'reference' | 'account'>, tokens: readonly HeldToken[]): void;
  /** From now on no question of this chain is answered, until it is called with undefined. */
  fail(chain: string, reason: string | undefined): void;
  /** Chains and standards that nothing is configured to read: `evm:8453`, `nfty.ink`. */
  unread: Set<string>;
}

export function memoryHoldings(): MemoryHoldings {
  const known = new Map<string, Answer>();
  const failing = new Map<string, string>();
  const block = { number: '1' };
  const keyOf = ({ chain, standard, reference, account }: Parameters<MemoryHoldings['set']>[0]) =>
    [chain, standard, reference, account].join('|').toLowerCase();
  const answer = (question: Question): Answer => {
    const reason = failing.get(question.chain);
    if (reason !== undefined) return { kind: 'unknown', reason };
    return known.get(keyOf(question)) ?? { kind: 'read', amount: '0', tokens: [], block };
  };
  const reader: MemoryHoldings = {
    requests: [],
    calls: 0,
    unread: new Set(),
    reads: ({ chain, standard }) => !reader.unread.has(chain) && !reader.unread.has(standard),
    read: async (questions) => {
      reader.requests.push(...questions);
      reader.calls += 1;
      return questions.map(answer);
    },
    set: (holding, value) =>
      void known.set(keyOf(holding), typeof value === 'string' ? { kind: 'read', amount: value, block } : value),
    give: (holding, tokens) =>
      void known.set(keyOf(holding), { kind: 'read', amount: String(tokens.length), tokens, block }),
    fail: (chain, reason) => void (reason === undefined ? failing.delete(chain) : failing.set(chain, reason)),
  };
  return reader;
}
