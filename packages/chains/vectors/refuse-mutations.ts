import assert from 'node:assert/strict';
import { type SeededRandom, seededRandom } from './mutate.ts';

/** What a verifier says of a proof: `valid`, or anything else. */
export interface Verdict {
  kind: string;
}

/** One way to spoil a proof; it may look at another valid proof to take parts of it. Undefined when it does not apply. */
export type Spoil<T> = (random: SeededRandom, proof: T, other: T) => T | undefined;

export interface RefusalRun<T> {
  seed: string;
  rounds: number;
  /** Valid proofs; each is judged first, so that a refusal below means something. */
  proofs: readonly T[];
  spoils: Readonly<Record<string, Spoil<T>>>;
  judge(proof: T): Promise<Verdict>;
}

/** Spoils valid proofs in turn and asserts that each is refused. Answers how often each way was tried. */
export async function refuseMutations<T>(run: RefusalRun<T>): Promise<Map<string, number>> {
  for (const proof of run.proofs) assert.equal((await run.judge(proof)).kind, 'valid', JSON.stringify(proof));
  const random = seededRandom(run.seed);
  const kinds = Object.entries(run.spoils);
  const counts = new Map(kinds.map(([kind]) => [kind, 0]));
  for (let done = 0, tried = 0; done < run.rounds; tried++) {
    const [kind, spoil] = random.pick(kinds);
    const spoilt = spoil(random, random.pick(run.proofs), random.pick(run.proofs));
    assert.ok(tried < 10 * run.rounds, 'Most of these ways do not apply to these proofs.');
    if (spoilt === undefined) continue;
    const verdict = await run.judge(spoilt);
    assert.equal(verdict.kind, 'invalid', `${kind}, mutation ${done} of seed ${run.seed}: ${JSON.stringify(spoilt)}`);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    done++;
  }
  return counts;
}

/** The counts as one line for the test report. */
export function describeCounts(counts: ReadonlyMap<string, number>): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return `${total} mutations refused: ${[...counts].map(([kind, count]) => `${kind} ${count}`).join(', ')}`;
}
