import type { Services } from '@latchkey/core';
import { schemaFault, tryDatabase } from '@latchkey/db';

const busPatienceMs = 2_000;
const topic = 'readiness';

/**
 * Checks whether this process can work by trying it: a tenant's transaction that may add jobs, a schema this version
 * can use, and a round trip over the bus. Concurrent checks share one result.
 */
export function watchReadiness(services: Pick<Services, 'db' | 'bus' | 'random'>): () => Promise<boolean> {
  const awaited = new Map<unknown, () => void>();
  services.bus.subscribe(topic, ({ id }) => awaited.get(id)?.());

  async function hearOneself(): Promise<boolean> {
    const id = services.random.id(12);
    const received = Promise.withResolvers<boolean>();
    const late = setTimeout(() => received.resolve(false), busPatienceMs);
    awaited.set(id, () => received.resolve(true));
    try {
      await services.bus.publish(services.db.system, topic, { id });
      return await received.promise;
    } finally {
      clearTimeout(late);
      awaited.delete(id);
    }
  }

  async function tryAll(): Promise<boolean> {
    try {
      await tryDatabase(services.db);
      const fault = await schemaFault((text) => services.db.pool.query(text));
      return fault === undefined && (await hearOneself());
    } catch {
      return false;
    }
  }

  let inProgress: Promise<boolean> | undefined;
  return () => {
    inProgress ??= tryAll().finally(() => {
      inProgress = undefined;
    });
    return inProgress;
  };
}
