import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import { serveMetricsOf, type WatchedProcess } from '../metrics/index.ts';
import type { Lifetime } from './lifetime.ts';

export interface Watch {
  /** From now on, this reports the readiness of the process, until it stops. */
  opened(process: WatchedProcess): void;
}

/**
 * Opens the port for health and metrics, if one is set: before everything else, so that a start that waits is visible.
 */
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
      // Cleaned up first: a stopping process is not ready.
      lifetime.add('readiness', async () => {
        watched.isReady = async () => false;
      });
    },
  };
}
