import { listAlive, type ProcessFaults, type Sql } from '@latchkey/db';

/** What running processes met lately, put together. */
export async function readFaultReports(db: Sql): Promise<Required<ProcessFaults>> {
  const faults = (await listAlive(db)).flatMap(({ faults: own }) => own ?? []);
  const malformed = Map.groupBy(
    faults.flatMap((own) => own.malformed ?? []),
    ({ source, kind }) => JSON.stringify([source, kind]),
  );
  return {
    malformed: [...malformed.values()]
      .flatMap(([first, ...others]) =>
        first === undefined ? [] : { ...first, count: others.reduce((sum, { count }) => sum + count, first.count) },
      )
      .toSorted((a, b) => b.count - a.count),
    stoppedShards: faults.flatMap((own) => own.stoppedShards ?? []),
  };
}
