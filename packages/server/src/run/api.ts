import { type Platform, resources } from '@latchkey/core';
import { countByState, isMigrated } from '@latchkey/db';
import { composeCredentials } from '../compose/index.ts';
import { composeInteractionCheck } from '../compose/interactions.ts';
import type { Config } from '../config.ts';
import { createRateLimiter } from '../http/rate-limiter.ts';
import { createHttpServer, type HttpServer } from '../http/serve.ts';
import { createMetrics } from '../metrics.ts';

/** Starts answering requests. */
export async function runApi(platform: Platform, config: Config, port: number): Promise<HttpServer> {
  const http = createHttpServer({
    server: {
      platform,
      config,
      limiter: createRateLimiter(platform),
      credentials: composeCredentials(platform, config),
    },
    resources,
    config,
    metrics: createMetrics(() => countByState(platform.db.system)),
    verifyInteraction: composeInteractionCheck(config, platform.clock),
    isReady: () => isReady(platform),
  });
  await http.fastify.listen({ host: config.host, port }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new Error(
        `Port ${port} is in use by another program. Stop that program, or choose another port: LATCHKEY_PORT=${port + 1}.`,
      );
    if (error.code === 'EACCES')
      throw new Error(`Port ${port} may not be used by this user. Choose a port above 1023 with LATCHKEY_PORT.`);
    if (error.code === 'EADDRNOTAVAIL')
      throw new Error(`This machine has no address ${config.host}. Set LATCHKEY_HOST to one it has, or to 0.0.0.0.`);
    throw error;
  });
  return http;
}

async function isReady(platform: Platform): Promise<boolean> {
  try {
    // Both logins are asked: requests need the one of tenants.
    await platform.db.transaction({ owner: 'nobody' }, async () => undefined);
    return await isMigrated((text) => platform.db.pool.query<{ name: string }>(text));
  } catch {
    return false;
  }
}
