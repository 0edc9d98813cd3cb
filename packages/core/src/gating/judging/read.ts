import type { Context } from '../../context.ts';
import type { Answer, Question } from '../../ports/index.ts';
import { putHoldings, selectHoldings } from '../readings/index.ts';
import { questionKey } from '../rules/index.ts';
import { gatingSettings } from './settings.ts';

export type ReadContext = Pick<Context, 'clock' | 'db' | 'follower' | 'holdings' | 'settings'>;

export interface ReadWish {
  /** Nothing stored counts. */
  fresh?: boolean;
  quorum?: number;
  signal?: AbortSignal | undefined;
}

/** What was answered, by `questionKey`. */
export type Answers = ReadonlyMap<string, Answer>;

/**
 * Answers questions, each once: from the store if every change of the asset is announced and none was, otherwise by one
 * read of the chains. So the calls of a sweep grow with transfers, not with members.
 */
export async function readAnswers(
  ctx: ReadContext,
  questions: Iterable<Question>,
  { fresh = false, quorum, signal }: ReadWish = {},
): Promise<Answers> {
  const asked = new Map<string, Question>();
  for (const question of questions) asked.set(questionKey(question), question);
  const announced = new Map([...asked].filter(([, question]) => isAnnounced(ctx, question)));
  const answers = fresh ? new Map<string, Answer>() : await findStored(ctx, [...announced.values()]);
  const missing = [...asked].filter(([key]) => !answers.has(key));
  if (missing.length === 0) return answers;
  const now = ctx.clock();
  const read = await ctx.holdings.read(
    missing.map(([, question]) => question),
    { ...(quorum !== undefined && { quorum }), ...(signal !== undefined && { signal }) },
  );
  const kept: { question: Question; answer: Answer }[] = [];
  for (const [at, [key, question]] of missing.entries()) {
    const answer = read[at] ?? { kind: 'unknown', reason: 'The reader gave no answer.' };
    answers.set(key, answer);
    if (announced.has(key)) kept.push({ question, answer });
  }
  await putHoldings(ctx.db.system, kept, now);
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
