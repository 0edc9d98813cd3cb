import type { ProcessFaults } from '@latchkey/db';
import { type Clock, observed } from '@latchkey/kernel';

/** A fault that did not come again for so long is over. */
const rememberedMs = 60 * 60 * 1000;
/** Sources and kinds are few; the limit keeps a report small whatever happens. */
const mostReported = 50;

/** Remembers what this process meets that an operator should know of. */
export function watchFaults(clock: Clock): { read(): ProcessFaults; stop(): void } {
  const malformed = new Map<string, { source: string; kind: string; count: number; lastMs: number }>();
  const stopped = new Map<string, { platform: string; shard: string; code: string }>();
  const ends = [
    observed.malformedEntry.listen(({ source, kind }) => {
      const name = `${source} ${kind}`;
      const count = (malformed.get(name)?.count ?? 0) + 1;
      malformed.set(name, { source, kind, count, lastMs: clock().getTime() });
    }),
    observed.gatewayStopped.listen(({ isStopped, ...shard }) => {
      const name = `${shard.platform} ${shard.shard}`;
      if (isStopped) stopped.set(name, shard);
      else stopped.delete(name);
    }),
  ];
  return {
    read: () => {
      const oldestMs = clock().getTime() - rememberedMs;
      for (const [name, { lastMs }] of malformed) if (lastMs < oldestMs) malformed.delete(name);
      return {
        ...(malformed.size > 0 && {
          malformed: [...malformed.values()]
            .slice(0, mostReported)
            .map(({ source, kind, count }) => ({ source, kind, count })),
        }),
        ...(stopped.size > 0 && { stoppedShards: [...stopped.values()].slice(0, mostReported) }),
      };
    },
    stop: () => {
      for (const end of ends) end();
    },
  };
}
