import assert from 'node:assert/strict';
import type { Services } from '@latchkey/core';
import { createRateLimiter } from '../../src/http/rate-limiter.ts';
import type { Server } from '../../src/http/visit.ts';

/** The server that routes without a credential need: nothing is configured, and no limit is reached. */
export function serverOfOpenRoutes(services: Services): Server {
  const rate = { points: 100_000, durationSeconds: 1 };
  const unused = async () => assert.fail('No credential is asked for.');
  return {
    services,
    config: {
      anonymousRate: rate,
      userRate: rate,
      ethereumHeader: false,
      portalUrl: undefined,
      walletConnect: undefined,
      evmRpcUrls: new Map(),
    },
    limiter: createRateLimiter(services),
    credentials: { apiKey: unused, authorization: {}, consoleSession: unused, isKnownOrigin: unused },
  };
}
