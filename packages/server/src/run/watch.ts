import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import { serveMetricsOf, type WatchedProcess } from '../metrics/index.ts';
import type { Lifetime } from './lifetime.ts';

export interface Watch {
  /** From now on the process is as ready as this says, until it stops. */
  opened(process: WatchedProcess): void;
}

/** Opens the port for health and metrics, if one is set: first of all, so that a start that waits can be seen waiting. */
export async function openWatch(config: Pick<Config, 'metrics'>, log: RootLog, lifetime: Lifetime): Promise<Watch> {
  const watched: WatchedProcess = { isReady: async () => false };
  const server = await serveMetricsOf(config, watched);
  if (server !== undefined) {
    lifetime.add('the port for metrics', server.stop);
    log.info('Health and metrics are served.', { url: server.url });
  }
  return {
    opened: (process) => {
      Object.assign(watched, process);
      // Undone before all else: what still runs is not to be counted on.
      lifetime.add('readiness', async () => {
        watched.isReady = async () => false;
      });
    },
  };
}
