import type { Context } from '../../context.ts';
import type { Answer, Question } from '../../ports/index.ts';
import { putHoldings, selectHoldings } from '../readings/index.ts';
import { questionKey } from '../rules/index.ts';
import { readRemembered } from './read-remembered.ts';
import { gatingSettings } from './settings.ts';

export type ReadContext = Pick<Context, 'clock' | 'db' | 'follower' | 'holdings' | 'settings'>;

export interface ReadWish {
  /**
   * What may answer instead of a chain. `store`, the default: what was read before, if every change of it is announced
   * and none was. `memory`: what anybody asked in the last seconds, for programs that ask often. `chain`: nothing.
   */
  from?: 'store' | 'memory' | 'chain';
  /** So many endpoints of a chain must agree. Of memory nobody can ask that, nor end a read that others wait for. */
  quorum?: number;
  signal?: AbortSignal | undefined;
}

/** A chain that is reorganised while it is read is read again, so often. */
const mostTries = 3;
const reorganised = 'The chain was reorganised each time it was read.';

/** What was answered, by `questionKey`. */
export type Answers = ReadonlyMap<string, Answer>;

/**
 * Answers questions, each once: from where the wish allows it, otherwise by one read of the chains. With the store the
 * calls of a sweep grow with transfers, not with members.
 */
export async function readAnswers(
  ctx: ReadContext,
  questions: Iterable<Question>,
  { from = 'store', quorum, signal }: ReadWish = {},
): Promise<Answers> {
  const asked = new Map<string, Question>();
  for (const question of questions) asked.set(questionKey(question), question);
  if (from === 'memory') return readRemembered(ctx, asked);
  const announced = new Map([...asked].filter(([, question]) => isAnnounced(ctx, question)));
  const answers = from === 'chain' ? new Map<string, Answer>() : await findStored(ctx, [...announced.values()]);
  let missing = new Map([...asked].filter(([key]) => !answers.has(key)));
  for (let tries = 0; missing.size > 0 && tries < mostTries; tries += 1) {
    const now = ctx.clock();
    const read = await ctx.holdings.read([...missing.values()], {
      ...(quorum !== undefined && { quorum }),
      ...(signal !== undefined && { signal }),
    });
    const kept: { question: Question; answer: Answer }[] = [];
    for (const [at, [key, question]] of [...missing].entries()) {
      const answer = read[at] ?? { kind: 'unknown', reason: 'The reader gave no answer.' };
      answers.set(key, answer);
      if (announced.has(key)) kept.push({ question, answer });
    }
    const orphaned = await putHoldings(ctx.db, kept, now);
    missing = new Map(orphaned.map((question) => [questionKey(question), question]));
  }
  for (const key of missing.keys()) answers.set(key, { kind: 'unknown', reason: reorganised });
  return answers;
}

function findStored(ctx: ReadContext, questions: readonly Question[]): Promise<Map<string, Answer>> {
  const { rereadSeconds, followLagSeconds } = gatingSettings(ctx);
  const now = ctx.clock().getTime();
  return selectHoldings(ctx.db.system, questions, {
    readAfter: new Date(now - rereadSeconds * 1000),
    followedAfter: new Date(now - followLagSeconds * 1000),
  });
}

// What was true at a block of the past or over a time is no state that a transfer changes.
function isAnnounced(ctx: ReadContext, question: Question): boolean {
  return question.atBlock === undefined && question.leastSince === undefined && ctx.follower.announces(question);
}
