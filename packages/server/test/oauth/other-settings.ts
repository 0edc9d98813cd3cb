import { resources, type Services } from '@latchkey/core';
import { composeCredentials } from '../../src/compose/index.ts';
import { createRateLimiter } from '../../src/http/rate-limiter.ts';
import { createHttpServer } from '../../src/http/serve.ts';
import { createMetrics } from '../../src/metrics/index.ts';
import type { TestServer } from '../harness/test-server.ts';

/** Serves the same database with other settings. It does not listen on a port. */
export function serveWith(running: TestServer, settings: Partial<Services['settings']>) {
  const { services: local, config } = running;
  const services: Services = { ...local, settings: { ...local.settings, ...settings } };
  const server = {
    services,
    config,
    limiter: createRateLimiter(services),
    credentials: composeCredentials(services, config),
  };
  const metrics = createMetrics({ kind: 'server', readState: async () => [] });
  return createHttpServer({ server, resources, config, metrics, isReady: async () => true }).fastify;
}
