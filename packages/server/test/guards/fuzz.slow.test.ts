import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bound, seed, takeTurns, volume } from '@latchkey/test-kit';
import type { FuzzReport } from '../harness/fuzz-operation.ts';
import { served } from '../harness/served.ts';
import { type Fuzz, startFuzz } from '../harness/start-fuzz.ts';
import { behindProxy } from '../harness/visit-server.ts';

const options = { requests: volume(12, 300), atOnce: 12, seed: seed('fuzz') };
/** Each run over all files covers every third operation, and three turns all. */
const turns = takeTurns('random requests to every operation', 3);
/** How long any response may take. */
const promisedMs = 5_000;

/** Operations that consume their input, or that are limited to a few calls at a time. */
const worksOnce = [
  'DELETE /latchkey/account/authenticators/{requestId}',
  'DELETE /latchkey/account/linked-roles',
  'DELETE /latchkey/account/x',
  'POST /latchkey/account/authenticators/{requestId}/confirm',
  'POST /latchkey/account/linked-roles',
  'POST /latchkey/account/reddit-consent',
  'POST /latchkey/account/reddit-consent/subreddits',
  'POST /latchkey/account/x',
  'POST /latchkey/client-apps/{id}/webhook/test',
  'POST /latchkey/handoffs/accept',
  'POST /latchkey/handoffs/proof',
  'POST /latchkey/miniapps/{miniAppId}/probe',
  'POST /latchkey/playgrounds',
  'POST /latchkey/playgrounds/actions',
  'POST /latchkey/playgrounds/state',
  'POST /latchkey/treasuries/{address}/actions/{actionId}/approve',
  'POST /latchkey/treasuries/{address}/handoff',
  'POST /latchkey/treasuries/{address}/transfers',
  'POST /dev-orgs/verify',
  'POST /webauthn/authentication/store',
  'POST /webauthn/authentication/verify',
  'POST /webauthn/registration/verify',
];

/** Operations that need more than a request shows to succeed. */
const needsMore: Readonly<Record<string, string>> = {
  'GET /oauth2/callback/{slug}': 'Only the browser with the cookie of the login succeeds; see test/oauth.',
  'POST /latchkey/telegram-join-requests/{slug}/open':
    'Only what Telegram signs shows who asks; see join-page.test.ts.',
  'POST /latchkey/telegram-join-requests/{slug}/check':
    'Only a request that Telegram sent can be checked; see join-page.test.ts.',
  'POST /latchkey/communities/{communityId}/gate-bypasses/{bypassId}/revoke':
    'Only a link that the Telegram bot created can be revoked; see the tests of telegram-gate.',
  'POST /latchkey/devvit/sync': 'Only an app that was paired can prove its call; see the tests of devvit.',
  'POST /latchkey/communities/{communityId}/devvit': 'Only a subreddit can be paired; see the tests of devvit.',
  'PUT /latchkey/client-apps/{id}/oauth-settings':
    'The settings depend on each other, and chance seldom fits them together; see test/oauth/conformance.',
  'DELETE /latchkey/communities/{communityId}/devvit': 'Only a paired app can be unpaired; see the tests of devvit.',
};

describe(`${options.requests} valid, nearly valid and hostile requests`, () => {
  let fuzz: Fuzz;
  let startedAt: number;
  let requests = 0;
  const slowest = { route: '', ms: 0 };

  before(async () => {
    const environment = { ...behindProxy, LATCHKEY_LOG_LEVEL: 'warn', LATCHKEY_ETHEREUM_HEADER: 'true' };
    fuzz = await startFuzz(environment);
    startedAt = performance.now();
  });
  after(() => fuzz.close());

  for (const operation of served) {
    turns.test(`leave ${operation.route} running, with well-formed errors that reveal no internals`, async (t) => {
      const report = await fuzz.operation(operation.route, options);
      requests += options.requests;
      if (report.slowestMs > slowest.ms) Object.assign(slowest, { route: operation.route, ms: report.slowestMs });
      assert.equal(describeFailures(report), '');
      t.diagnostic(describeAnswers(report));
      const successes = report.answers.get(String(operation.answer.status)) ?? 0;
      assert.ok(successes >= fewestSuccesses(operation.route), `only ${successes} requests succeeded`);
    });
  }

  test('are answered at once', (t) => bound(t, `the slowest answer (${slowest.route})`, slowest.ms, promisedMs));

  test('leave no error in the log', async (t) => {
    const seconds = (performance.now() - startedAt) / 1000;
    t.diagnostic(`${requests} requests, ${Math.round(requests / seconds)} per second`);
    assert.deepEqual(await fuzz.errors(), []);
  });
});

function fewestSuccesses(route: string): number {
  if (route in needsMore) return 0;
  return worksOnce.includes(route) ? 1 : Math.max(1, Math.floor(options.requests / 15));
}

/** Describes every kind of failure once, with the shortest request that shows it. */
function describeFailures({ failures }: FuzzReport): string {
  const shortest = new Map<string, string>();
  for (const { problem, curl } of failures) {
    const known = shortest.get(problem);
    if (known === undefined || curl.length < known.length) shortest.set(problem, curl);
  }
  if (shortest.size === 0) return '';
  const lines = [...shortest].map(([problem, curl]) => `${problem}\n    ${curl}`);
  return [...lines, `${options.requests} requests with the seed "${options.seed}"`].join('\n');
}

function describeAnswers({ answers, slowestMs }: FuzzReport): string {
  const counts = [...answers].sort((a, b) => b[1] - a[1]).map(([answer, count]) => `${count} × ${answer}`);
  return `${counts.join(', ')}; slowest ${Math.round(slowestMs)} ms`;
}
