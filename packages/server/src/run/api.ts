import { resources, type Services } from '@latchkey/core';
import { composeCredentials } from '../compose/index.ts';
import { composeInteractionCheck } from '../compose/interactions.ts';
import { composeTelegramUpdates } from '../compose/telegram-updates.ts';
import type { Config } from '../config.ts';
import type { ConsoleTickets } from '../console/tickets.ts';
import { createCallLog } from '../http/call-log.ts';
import { createRateLimiter } from '../http/rate-limiter.ts';
import { createHttpServer, type HttpServer } from '../http/serve.ts';
import { type Metrics, metricsOf } from '../metrics/index.ts';
import { membership } from '../processes/member.ts';
import { watchReadiness } from './readiness.ts';

/** Starts serving requests. */
export async function runApi(
  services: Services,
  config: Config,
  port: number,
  tickets?: ConsoleTickets,
  metrics: Metrics = metricsOf(services, 'server', config),
): Promise<HttpServer> {
  const isReady = watchReadiness(services);
  const http = createHttpServer({
    server: {
      services,
      config,
      limiter: createRateLimiter(services),
      credentials: composeCredentials(services, config),
    },
    resources,
    config,
    callLog: createCallLog(services),
    metrics,
    tickets,
    verifyInteraction: composeInteractionCheck(config, services.clock),
    telegramUpdates: await composeTelegramUpdates(config, services),
    isReady: async () => membership()?.isOpen() !== false && (await isReady()),
  });
  await http.fastify.listen({ host: config.host, port }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new Error(
        `Port ${port} is in use by another program. Stop that program, or choose another port: LATCHKEY_PORT=${port + 1}.`,
      );
    if (error.code === 'EACCES')
      throw new Error(`This user is not allowed to use port ${port}. Choose a port above 1023 with LATCHKEY_PORT.`);
    if (error.code === 'EADDRNOTAVAIL')
      throw new Error(`This machine has no address ${config.host}. Set LATCHKEY_HOST to one it has, or to 0.0.0.0.`);
    throw error;
  });
  return http;
}
