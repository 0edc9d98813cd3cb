import { type StandbyPair, startStandbyPair } from './standby-pair.ts';

/** Runs `work` with a primary and its standby, on a database that `prepare` has migrated. */
export async function withStandby(
  prepare: (url: string) => Promise<unknown>,
  work: (pair: StandbyPair) => Promise<void>,
): Promise<void> {
  await using pair = await startStandbyPair(prepare);
  await work(pair);
}
