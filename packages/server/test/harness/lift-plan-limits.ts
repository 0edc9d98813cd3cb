import { sql } from '@latchkey/db';
import type { TestServer } from './test-server.ts';

const allFeatures = ['MINIAPP', 'ON_DEMAND_BALANCE_CHECK', 'TWITTER_TGR'].map((identifier) => ({ identifier }));

/** Lifts the limits of plans, so that tests can call, create and use everything as often as needed. */
export async function liftPlanLimits(server: TestServer): Promise<void> {
  const limits = JSON.stringify([{ key: 'second', points: 1_000_000, duration: 1, label: 'none', scopes: '$all' }]);
  await sql`
    update plans set max_api_keys = 1000000, max_mini_apps = 1000000, rate_limits = ${limits}::jsonb,
      features = ${JSON.stringify(allFeatures)}::jsonb`.execute(server.services.db.system);
}
