import { countHangs, type WatchedKind } from '../watchdog/hangs.ts';
import type { ProcessKind } from './create-metrics.ts';
import type { Sample } from './declared.ts';

/** How often this process hung in its earlier lives. One that has metrics also speaks for one beside it that has none. */
export function hangSamples(dataDir: string, kind: ProcessKind, place?: number): Sample[] {
  const count = (of: WatchedKind, at?: number): Sample => ({
    name: 'latchkey_process_hangs_total',
    labels: { kind: of },
    value: countHangs(dataDir, of, at),
  });
  return [
    count(kind, place),
    ...(kind === 'whole' ? [count('signer')] : []),
    ...(place === 1 ? [count('supervisor')] : []),
  ];
}
