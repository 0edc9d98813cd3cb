import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isCallable, isReading } from '../../src/mcp/describe-operation.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { fingerprintTables } from '../harness/read-tables.ts';
import { sampleRequest } from '../harness/sample-request.ts';
import { served } from '../harness/served.ts';
import { openWorld, rightCredential, type World } from '../harness/set-up-world.ts';
import { type WireRequest, writeRequest } from '../harness/write-request.ts';

/** What may be written during reads: call counts, heartbeats, positions of events, and copies of data from platforms and chains. */
const ofTheServer = [
  'collection_traits',
  'community_events',
  'community_members',
  'event_streams',
  'kept_secrets',
  'member_lists',
  'processes',
  'rate_windows',
  'read_holdings',
  'rule_indexes',
];

const reading = served.filter((one) => isCallable(one) && isReading(one));

describe('an agent that may only read', () => {
  let world: World;
  let requests: Map<string, WireRequest>;
  let known: Record<string, string>;
  before(async () => {
    world = await openWorld();
    requests = new Map();
    for (const operation of reading) {
      const request = writeRequest(sampleRequest(operation, world.samples));
      const credential = Object.entries(await rightCredential(world, operation));
      requests.set(operation.route, { ...request, headers: [...request.headers, ...credential] });
    }
    // Without the worker, only the requests themselves can change a row.
    await world.server.worker.idle();
    await world.server.worker.stop(5_000);
    known = await readTables();
  });
  after(() => world.server.close());

  async function readTables(): Promise<Record<string, string>> {
    const tables = Object.entries(await fingerprintTables(world.server));
    return Object.fromEntries(tables.filter(([name]) => !ofTheServer.includes(name)));
  }

  // Comparing all tables takes longer than calling an operation, so it is done once for those of one path.
  for (const [start, operations] of Map.groupBy(reading, ({ path }) => path.split('/').slice(0, 3).join('/')))
    test(`changes nothing by reading ${start}`, async () => {
      const routes = operations.map(({ route }) => route);
      for (const { route, answer } of operations) {
        const request = requests.get(route);
        assert.ok(request);
        const { status, body } = await sendRaw(world.server.url, request);
        assert.equal(status, answer.status, `${route}: ${body.toString()}`);
      }
      const found = await readTables();
      const changed = Object.keys(found).filter((name) => found[name] !== known[name]);
      known = found;
      assert.deepEqual(changed, [], `One of these changes something: ${routes.join(', ')}`);
    });

  test('changes nothing with HEAD, not even where a published GET has effects', async () => {
    const acting = served.filter(({ method, contract }) => method === 'GET' && contract.changes === true);
    for (const operation of acting) {
      const request = writeRequest(sampleRequest(operation, world.samples));
      const credential = Object.entries(await rightCredential(world, operation));
      const headers = [...request.headers, ...credential];
      const { status } = await sendRaw(world.server.url, { ...request, method: 'HEAD', headers });
      assert.equal(status, 405, operation.route);
    }
    const found = await readTables();
    assert.deepEqual(
      Object.keys(found).filter((name) => found[name] !== known[name]),
      [],
    );
  });

  test('cannot start or complete what a published GET starts or completes', () => {
    const acting = served.filter(({ method, contract }) => method === 'GET' && contract.changes === true);
    assert.deepEqual(acting.filter(isReading), []);
    assert.deepEqual(acting.map(({ route }) => route).sort(), [
      'GET /account/auth-message',
      'GET /oauth2/callback/{slug}',
      'GET /reddit/unlink-token',
      'GET /tokenproof/authorize',
      'GET /tokenproof/responses/{requestId}',
      'GET /totp/{requestId}',
      'GET /unlock/callback',
      'GET /webauthn/authentication/options',
      'GET /webauthn/registration/options',
    ]);
  });
});
