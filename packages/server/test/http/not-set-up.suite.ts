import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const account = `0x${'a1'.repeat(20)}`;

type Case = [method: string, path: string, json: unknown, missing: RegExp];

describe('http: what is not set up', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  const warnings = (requestId: string | null) =>
    server.logLines
      .map((line) => JSON.parse(line) as { level: number; msg: string; requestId?: string; reason?: string })
      .filter((line) => line.level >= 40 && line.requestId === requestId);

  test('has its own error code and log line, which names what is missing', async () => {
    const authorization = await server.aeToken('DIS#USER#7');
    const cases: Case[] = [
      ['POST', '/communities', { platform: 'discord', communityId: '1' }, /LATCHKEY_DISCORD_BOT_TOKEN/],
      ['POST', '/reddit/community', { communityName: 'cats', botToken: 'x' }, /LATCHKEY_REDDIT_CLIENT_ID/],
      ['GET', '/telefrens/waiting-list/registered', undefined, /no waiting list/],
      ['GET', '/tokenproof/authorize?state=x', undefined, /tokenproof/],
      ...['magic-codes', 'wallet-connections'].map(
        (name): Case => [
          'POST',
          `/wallet-manager/marketplace-${name}`,
          { marketplace: 'opensea', account, id: authorization.split(' ')[1] },
          /marketplace/,
        ],
      ),
      ...[
        'receipts/x',
        'transactions/x',
        'transactions',
        'near/accounts',
        'ada.near/ft-contracts',
        'ada.near/nft-contracts',
        'art.near/function-calls',
        'art.near/transactions/1',
        'art.near/transactionsForAccount/ada.near',
      ].map((path): Case => ['GET', `/near-indexer/${path}`, undefined, /LATCHKEY_NEAR_INDEX/]),
    ];
    for (const [method, path, json, missing] of cases) {
      const answer = await server.request(method, path, { headers: { authorization }, json });
      assert.deepEqual([answer.status, answer.json?.error.code], [503, 'NOT_CONFIGURED'], `${path}: ${answer.text}`);
      assert.match(answer.json.error.message, missing);
      assert.equal(answer.headers.get('retry-after'), '3600');
      const lines = warnings(answer.headers.get('x-request-id'));
      assert.deepEqual(
        lines.map(({ level, msg }) => [level, msg]),
        [[40, 'A request needs something that is not configured on this server.']],
      );
      assert.match(lines[0]?.reason ?? '', missing);
    }
  });

  test('is distinguished from an unreachable database', async () => {
    const { services } = server;
    const { transaction } = services.db;
    const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const authorization = await server.aeToken('DIS#USER#7');
    services.db.transaction = () => Promise.reject(lost);
    const answer = await server.request('GET', '/client-apps', { headers: { authorization } });
    services.db.transaction = transaction;
    assert.deepEqual([answer.status, answer.json.error.code], [503, 'UNAVAILABLE']);
    assert.deepEqual(
      warnings(answer.headers.get('x-request-id')).map(({ msg }) => msg),
      ['A request could not reach the database.'],
    );
  });
});
