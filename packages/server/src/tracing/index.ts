import type { Log } from '@latchkey/kernel';
import type { Config } from '../config.ts';

/** Starts tracing if the operator configured a collector. The libraries are loaded only then. */
export async function startTracing(
  traces: Config['traces'],
  kind: 'whole' | 'server' | 'worker',
  log: Log,
): Promise<{ stop(): Promise<void> } | undefined> {
  const { url } = traces;
  if (url === undefined) return undefined;
  const { keepTraces } = await import('./keep-traces.ts');
  return keepTraces({ ...traces, url }, kind, log);
}
