import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { errorCodes, type Operation } from '@latchkey/kernel';
import { volume } from '@latchkey/test-kit';
import { answerShapeProblems, codeOf, errorShapeProblems } from '../harness/error-shape.ts';
import { credentialsBeside, forge, operationsBySecret } from '../harness/forge-requests.ts';
import { makeAdmin } from '../harness/make-fixture.ts';
import { ruleSetSamples } from '../harness/operation-samples.ts';
import { samplePasskeys } from '../harness/passkeys.ts';
import { fingerprintTables } from '../harness/read-tables.ts';
import { type Headers, makeRefusedCredentials, type Refused } from '../harness/refused-credentials.ts';
import { sampleGate } from '../harness/sample-gate.ts';
import { sampleHandoffs } from '../harness/sample-handoffs.ts';
import { sampleLinkedRoles } from '../harness/sample-linked-roles.ts';
import { sampleReddit } from '../harness/sample-reddit.ts';
import { sampleRequest } from '../harness/sample-request.ts';
import { sampleTreasury } from '../harness/sample-treasury.ts';
import { sampleXLinks } from '../harness/sample-x.ts';
import {
  isByKnowledge,
  isInternalOnly,
  isMounted,
  isOpen,
  isOperatorOnly,
  needsNoCredential,
  scopesOf,
  served,
} from '../harness/served.ts';
import { keyRule } from '../harness/set-up-community.ts';
import { openWorld, rightCredential, type World } from '../harness/set-up-world.ts';
import { sampleSignedCalls } from '../harness/signed-calls.ts';
import type { TestServer } from '../harness/test-server.ts';
import { behindProxy, visit } from '../harness/visit-server.ts';

/** Open to any caller. A new one belongs here only if nothing it returns belongs to a particular user. */
const openOperations = [
  'GET /.well-known/jwks.json',
  'GET /.well-known/openid-configuration',
  'GET /asset-verification/{token}',
  'GET /config',
  'GET /evm/network-configs',
  'GET /evm/{network}/tokens',
  'GET /flow/contracts',
  'GET /hello-action/metadata',
  'GET /jwt/public-keys/{kid}',
  'GET /latchkey/rule-files/schema',
  'GET /nft-contracts/{chainId}/{address}',
  'GET /nft-tokens/{chainId}/{address}/{id}',
  'GET /oauth2/authorize',
  'GET /oauth2/callback/{slug}',
  'GET /ping',
  'GET /qrcode/{data}',
  'GET /scopes',
  'GET /scopes/ids/{ids}',
  'GET /scopes/{id}',
  'GET /slugs/{slug}',
  'GET /staking-contracts',
  'GET /states/{slug}',
  'GET /telefrens/waiting-list/metadata',
  'GET /tokenproof/authorize',
  'GET /tokenproof/responses/{requestId}',
  'POST /ethereum-login/challenges',
  'POST /ethereum-login/id-tokens',
  'POST /latchkey/handoffs/message',
  'POST /latchkey/handoffs/proof',
  'POST /latchkey/playgrounds',
  'POST /latchkey/playgrounds/actions',
  'POST /latchkey/playgrounds/state',
];

/** Open to callers that know an id that this server generated for one program or browser for a while. */
const operationsByKnowledge = [
  'DELETE /discord/webhooks/{interactionId}/messages/{messageId}',
  'GET /discord/webhooks/{interactionId}/messages/{messageId}',
  'GET /stripe/callback',
  'GET /unlock/callback',
  'PATCH /discord/webhooks/{interactionId}/messages/{messageId}',
  'POST /discord/webhooks/{interactionId}',
];

/** Open to any caller, but refusing a wrong credential. */
const knowingOperations = [
  'DELETE /wallet-manager/wallet-connections/{walletSk}',
  'GET /webauthn/authentication/options',
  'POST /evm/venly/callback',
  'POST /latchkey/handoffs',
  'POST /latchkey/handoffs/accept',
  'POST /latchkey/handoffs/state',
  'POST /wallet-manager/marketplace-magic-codes',
  'POST /wallet-manager/marketplace-wallet-connections',
  'POST /wallet-manager/reset-wallets/{resetToken}',
  'POST /wallet-manager/wallet-connections/resume',
  'POST /webauthn/authentication/options',
  'POST /webauthn/authentication/store',
  'POST /webauthn/authentication/verify',
  'PUT /wallet-manager/wallet-connections',
];

const operatorOperations = [
  'DELETE /latchkey/nft-contracts/{chainId}/{address}/describers/{describerId}',
  'DELETE /latchkey/operator/admin-keys/{id}',
  'DELETE /latchkey/operator/applications/{clientId}/signing-domains/{domain}',
  'DELETE /latchkey/operator/waiting-list/guests/{userId}',
  'DELETE /latchkey/plans/{planId}',
  'DELETE /latchkey/plans/{planId}/subscribers/{subscriberId}',
  'GET /latchkey/audit-log',
  'GET /latchkey/live',
  'GET /latchkey/nft-contracts/{chainId}/{address}/describers',
  'GET /latchkey/operator/admin-keys',
  'GET /latchkey/operator/applications',
  'GET /latchkey/operator/chains',
  'GET /latchkey/operator/communities',
  'GET /latchkey/operator/erasures',
  'GET /latchkey/operator/health',
  'GET /latchkey/operator/jobs',
  'GET /latchkey/operator/jobs/dead',
  'GET /latchkey/operator/linked-roles',
  'GET /latchkey/operator/mails',
  'GET /latchkey/operator/master-keys',
  'GET /latchkey/operator/mini-apps',
  'GET /latchkey/operator/people',
  'GET /latchkey/operator/people/{userId}',
  'GET /latchkey/operator/people/{userId}/signatures',
  'GET /latchkey/operator/processes',
  'GET /latchkey/operator/settings',
  'GET /latchkey/operator/signing-domains',
  'GET /latchkey/operator/signing-keys',
  'GET /latchkey/operator/spending',
  'GET /latchkey/operator/tickets',
  'GET /latchkey/operator/waiting-list',
  'GET /latchkey/operator/waiting-list/guests',
  'GET /latchkey/plans',
  'GET /log/settings',
  'POST /latchkey/operator/admin-keys',
  'POST /latchkey/operator/applications',
  'POST /latchkey/operator/applications/{clientId}/signing-domains',
  'POST /latchkey/operator/applications/{id}/decision',
  'POST /latchkey/operator/applications/{id}/examination',
  'POST /latchkey/operator/communities/{communityId}/transfer',
  'POST /latchkey/operator/jobs/retry',
  'POST /latchkey/operator/mini-apps/{id}/decision',
  'POST /latchkey/operator/people/{userId}/erase',
  'POST /latchkey/operator/signing-keys/{purpose}/rotate',
  'POST /latchkey/operator/tickets/{id}/decision',
  'POST /latchkey/operator/waiting-list/signer',
  'PUT /client-apps/{id}',
  'PUT /latchkey/nft-contracts/{chainId}/{address}/describers/{describerId}',
  'PUT /latchkey/operator/linked-roles',
  'PUT /latchkey/operator/waiting-list/guests/{userId}',
  'PUT /latchkey/plans/{planId}',
  'PUT /latchkey/plans/{planId}/subscribers/{subscriberId}',
  'PUT /log/settings',
];

/** For users, but only through an application that is marked as the operator's own. */
const internalOperations = [
  'DELETE /communities/{id}',
  'DELETE /user-authorizations/{clientId}',
  'GET /user-authorizations',
  'GET /user-authorizations/{clientId}',
  'PATCH /communities/{id}',
  'PUT /communities/{id}',
];

/** Tables that may change although every request was refused. */
const countingTables: Readonly<Record<string, string>> = {
  rate_windows: 'Refusals are counted, to slow down guessing.',
  processes: 'A process writes its heartbeat.',
};

const closed = served.filter((operation) => !isOpen(operation));

/** How many credentials of each kind an operation is tested with; 100 are all of them. */
const perKind = volume(1, 100);

/** Kinds that every operation is tested with. A normal run tests it with every third of the others. */
const alwaysTried = ['no credential', 'a revoked access token', 'a scope that opens something else'];
const kindTurns = volume(0, 1) === 0 ? 3 : 1;

/** Rotates from operation to operation, so that every kind and every credential is tested with many of them. */
function someOfEachKind(credentials: readonly Refused[], turn: number): Refused[] {
  const kinds = [...Map.groupBy(credentials, ({ kind }) => kind)];
  const tried = kinds.filter(([kind], place) => alwaysTried.includes(kind) || (place + turn) % kindTurns === 0);
  return tried.flatMap(([, same]) =>
    Array.from({ length: Math.min(perKind, same.length) }, (_, n) => same[(turn * perKind + n) % same.length]).filter(
      (one) => one !== undefined,
    ),
  );
}

interface Outcome {
  cells: number;
  kinds: Set<string>;
  problems: string[];
}

const removesAdmin = 'DELETE /latchkey/communities/{communityId}/admins/{userId}';

describe('wrong credentials', () => {
  let server: TestServer;
  let world: World;
  let tables: { before: Record<string, string>; after: Record<string, string> };
  const outcomes = new Map<string, Outcome>();

  before(async () => {
    world = await openWorld(behindProxy);
    server = world.server;
    const credentials = await makeRefusedCredentials(world);
    // Without the worker, only the requests themselves can change a row.
    await server.worker.idle();
    await server.worker.stop(5_000);
    const atFirst = await fingerprintTables(server);
    for (const operation of closed) {
      outcomes.set(operation.route, await tryAll(operation, credentials));
    }
    tables = { before: atFirst, after: await fingerprintTables(server) };
  });
  after(() => server.close());

  async function tryAll(operation: Operation, credentials: readonly Refused[]): Promise<Outcome> {
    const fitting = someOfEachKind(
      credentials.filter(({ appliesTo }) => appliesTo(operation)),
      closed.indexOf(operation),
    );
    const problems = await Promise.all(fitting.map((refused) => problemsOf(operation, refused)));
    return { cells: fitting.length, kinds: new Set(fitting.map(({ kind }) => kind)), problems: problems.flat() };
  }

  async function problemsOf(operation: Operation, { kind, headers, codes }: Refused): Promise<string[]> {
    const draft = sampleRequest(operation, world.samples);
    const answer = await visit(server, draft, { ...headers, 'idempotency-key': 'matrix' });
    const code = codeOf(answer.text);
    const isExpected = codes.some((one) => one === code && errorCodes[one].status === answer.status);
    const shape = errorShapeProblems(answer.status, answer.headers.get('content-type') ?? '', answer.text);
    const unexpected = isExpected ? [] : [`answered with ${answer.status} ${code}`];
    return [...unexpected, ...shape].map((problem) => `${kind} (${Object.values(headers)}): ${problem}`);
  }

  for (const operation of closed) {
    test(`${operation.route} refuses every one of them`, (t) => {
      const { cells, kinds, problems } = outcomes.get(operation.route) ?? { cells: 0, kinds: new Set(), problems: [] };
      assert.deepEqual(problems, []);
      assert.ok(kinds.has('a revoked access token'));
      assert.equal(kinds.has('no credential'), !needsNoCredential(operation));
      assert.equal(kinds.has('a scope that opens something else'), scopesOf(operation).length > 0);
      t.diagnostic(`${cells} requests of ${kinds.size} kinds`);
    });
  }

  test('no row of any table changes while they are refused', (t) => {
    const requests = [...outcomes.values()].reduce((sum, { cells }) => sum + cells, 0);
    t.diagnostic(`${requests} requests to ${outcomes.size} operations`);
    const changed = Object.keys(tables.after).filter((table) => tables.before[table] !== tables.after[table]);
    assert.deepEqual(
      changed.filter((table) => !(table in countingTables)),
      [],
    );
    assert.ok(Object.keys(tables.after).length > 20, 'the tables were not found');
    assert.ok(changed.includes('rate_windows'), 'a changed table is not detected');
  });

  test('every operation that the running server describes is either in the matrix or known to be open', async () => {
    const { json } = await server.request('GET', '/openapi.json?all=true');
    const paths = json.paths as Record<string, Record<string, unknown>>;
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(
      [...outcomes.keys(), ...openOperations, ...operationsByKnowledge, ...operationsBySecret].sort(),
      described.sort(),
    );
  });

  test('the same requests succeed with the right credential, so the credential alone made the difference', async () => {
    // Deletions come last, parts before the whole, so that the other operations find their objects.
    // While rules are locked to their file, nothing else changes them.
    const rank = ({ method, path }: Operation) => {
      if (path.endsWith('/rule-set/lock')) return method === 'DELETE' ? 2 : 1;
      return method === 'DELETE' ? 100 - path.split('/').length : 0;
    };
    const { alice, device, outside, samples } = world;
    // Passkey responses and signatures expire within minutes, which a slow machine spends on the matrix.
    const answers = await samplePasskeys(server, alice, device, () => 1);
    const calls = {
      ...(await sampleSignedCalls(server, outside)),
      ...(await sampleXLinks(world)),
      ...(await sampleLinkedRoles(world)),
      ...(await sampleReddit(world)),
      ...(await sampleHandoffs(server, 1)),
      ...(await sampleGate(world)),
      ...(await sampleTreasury(world)),
    };
    const fresh = { ...samples, ...answers, ...calls };
    for (const operation of [...closed].sort((a, b) => rank(a) - rank(b))) {
      const right = await rightCredential(world, operation);
      // Another operation has replaced all admins by then.
      const isLate = operation.route === removesAdmin;
      const wanted = {
        ...fresh,
        ...(isLate && { [`${removesAdmin} userId`]: await makeAdmin(world) }),
        // The published operation deletes the sample rule.
        ...(operation.route === deletesRule && { [`${deletesRule} ruleId`]: await makeRule(world) }),
        // Other operations have changed the rules since.
        ...(await ruleSetSamples(world, operation)),
      };
      const answer = await visit(server, sampleRequest(operation, wanted), right);
      assert.equal(answer.status, operation.answer.status, `${operation.route}: ${answer.text}`);
    }
  });

  test('an id that was never issued allows none of the operations that an id allows', async () => {
    const wrong = ['x'.repeat(32), world.community.guildId, `${world.community.interactionId}x`, "' or 1=1 --", '*'];
    const headers: Headers[] = [{}, { authorization: world.alice }, { 'x-api-key': server.adminKey }];
    for (const operation of served.filter(({ route }) => operationsByKnowledge.includes(route))) {
      for (const id of wrong) {
        const draft = sampleRequest(operation, {
          ...world.samples,
          interactionId: id,
          [`${operation.route} slug`]: id,
        });
        for (const credential of headers) {
          const { status, text } = await visit(server, draft, credential);
          assert.deepEqual([status, codeOf(text)], [404, 'ENTITY_NOT_FOUND'], `${operation.route} ${id}`);
        }
      }
    }
  });

  for (const route of operationsBySecret) {
    test(`${route} refuses every secret and signature but the right ones, for every caller`, async (t) => {
      const operation = served.find((one) => one.route === route);
      assert.ok(operation);
      const requests = await forge(world, operation);
      const atFirst = await fingerprintTables(server);
      for (const { kind, draft, headers, expected } of requests)
        for (const credential of isMounted(operation) ? [{}] : credentialsBeside(world)) {
          const answer = await visit(server, draft, { ...credential, ...headers });
          assert.deepEqual([answer.status, answer.json?.error?.code ?? answer.json?.error], expected, kind);
          assert.deepEqual(answerShapeProblems(operation, answer), [], kind);
        }
      const changed = Object.entries(await fingerprintTables(server)).filter(
        ([table, print]) => atFirst[table] !== print,
      );
      assert.deepEqual(
        changed.map(([table]) => table).filter((table) => !(table in countingTables)),
        [],
      );
      t.diagnostic(`${requests.length} forgeries`);
    });
  }

  test('the metrics of the server are for the operator alone', async () => {
    const { key } = await server.apiKey(['$all']);
    const wrong: Headers[] = [{}, { authorization: world.alice }, { 'x-api-key': key }, { 'x-api-key': 'unknown' }];
    for (const headers of wrong) {
      const { status, text } = await server.request('GET', '/metrics', { headers });
      assert.ok(status === 401 || status === 403, `${status} for ${JSON.stringify(headers)}`);
      assert.ok(!text.includes('latchkey_'));
    }
    assert.equal((await server.request('GET', '/metrics', { headers: { 'x-api-key': server.adminKey } })).status, 200);
  });
});

test('the operations that are open to everyone are the ones listed here', () => {
  assert.deepEqual(
    served
      .filter((operation) => isOpen(operation) && !isByKnowledge(operation))
      .map(({ route }) => route)
      .sort(),
    openOperations,
  );
  for (const { route, contract } of served)
    if (openOperations.includes(route)) assert.deepEqual(contract.access.scopes, ['$public']);
});

test('the operations that an id, a secret or a signature allows are the ones listed here', () => {
  assert.deepEqual(
    served
      .filter(isByKnowledge)
      .map(({ route }) => route)
      .sort(),
    [...operationsByKnowledge, ...operationsBySecret].sort(),
  );
});

test('the operations with an optional credential are the ones listed here', () => {
  assert.deepEqual(
    served
      .filter(needsNoCredential)
      .map(({ route }) => route)
      .sort(),
    knowingOperations,
  );
});

test('the operations reserved for the operator’s applications are the ones listed here', () => {
  assert.deepEqual(
    served
      .filter(isInternalOnly)
      .map(({ route }) => route)
      .sort(),
    internalOperations,
  );
});

test('the operations reserved for the operator are the ones listed here', () => {
  assert.deepEqual(
    served
      .filter(isOperatorOnly)
      .map(({ route }) => route)
      .sort(),
    operatorOperations,
  );
});

const deletesRule = 'DELETE /latchkey/communities/{communityId}/rules/{ruleId}';

async function makeRule({ server, outside, community, alice }: World): Promise<string> {
  const { status, json, text } = await server.request('POST', `/communities/${encodeURIComponent(community.id)}/tpcs`, {
    headers: { authorization: alice },
    json: { ...keyRule(outside, community.roleId), minToken: '400000' },
  });
  assert.equal(status, 200, text);
  return json.sk;
}
