import { createServer } from 'node:net';
import type { Config } from '../config.ts';

/**
 * Returns the configured port, or a free one for 0. The address must be known before anything that contains it is
 * created.
 */
export async function choosePort(config: Pick<Config, 'host' | 'port'>): Promise<number> {
  if (config.port !== 0) return config.port;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, config.host, resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('No free port was found.');
  return address.port;
}
