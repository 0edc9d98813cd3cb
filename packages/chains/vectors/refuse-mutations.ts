import assert from 'node:assert/strict';
import { type SeededRandom, seededRandom } from './mutate.ts';

/** A verifier's result for a proof: `valid`, or anything else. */
export interface Verdict {
  kind: string;
}

/** One way to spoil a proof. It may take parts of another valid proof. Returns undefined if it does not apply. */
export type Spoil<T> = (random: SeededRandom, proof: T, other: T) => T | undefined;

export interface RefusalRun<T> {
  seed: string;
  rounds: number;
  /** Valid proofs. Each is verified first, so that a refusal below is meaningful. */
  proofs: readonly T[];
  spoils: Readonly<Record<string, Spoil<T>>>;
  verify(proof: T): Promise<Verdict>;
}

/** Spoils valid proofs in one way after the other, and asserts that each is refused. Returns how often each way was tried. */
export async function refuseMutations<T>(run: RefusalRun<T>): Promise<Map<string, number>> {
  for (const proof of run.proofs) assert.equal((await run.verify(proof)).kind, 'valid', JSON.stringify(proof));
  const random = seededRandom(run.seed);
  const counts = new Map(Object.keys(run.spoils).map((kind) => [kind, 0]));
  assert.ok(run.rounds >= counts.size, `${run.rounds} rounds do not try all ${counts.size} ways.`);
  for (let done = 0; done < run.rounds; ) {
    for (const [kind, spoil] of Object.entries(run.spoils).slice(0, run.rounds - done)) {
      const spoilt = spoilOne(random, run.proofs, kind, spoil);
      const verdict = await run.verify(spoilt);
      assert.equal(verdict.kind, 'invalid', `${kind}, mutation ${done} of seed ${run.seed}: ${JSON.stringify(spoilt)}`);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      done++;
    }
  }
  return counts;
}

function spoilOne<T>(random: SeededRandom, proofs: readonly T[], kind: string, spoil: Spoil<T>): T {
  for (let tries = 0; tries < 1000; tries++) {
    const spoilt = spoil(random, random.pick(proofs), random.pick(proofs));
    if (spoilt !== undefined) return spoilt;
  }
  return assert.fail(`${kind}: this way applies to none of these proofs.`);
}

/** Formats the counts as one line for the test report. */
export function describeCounts(counts: ReadonlyMap<string, number>): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return `${total} mutations refused: ${[...counts].map(([kind, count]) => `${kind} ${count}`).join(', ')}`;
}
