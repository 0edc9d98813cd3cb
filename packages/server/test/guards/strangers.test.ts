import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Operation } from '@latchkey/kernel';
import { asJsonSchema, fieldsOf } from '../harness/json-schema.ts';
import { fingerprintTables } from '../harness/read-tables.ts';
import type { Headers } from '../harness/refused-credentials.ts';
import { type Draft, sampleRequest } from '../harness/sample-request.ts';
import { isOpen, isOperatorOnly, served } from '../harness/served.ts';
import { malloryId, settleWorld, type World } from '../harness/settle-world.ts';
import { startTestServer, type TestAnswer, type TestServer } from '../harness/test-server.ts';
import { behindProxy, visit } from '../harness/visit-server.ts';

const forUsers = served.filter((operation) => !isOpen(operation) && !isOperatorOnly(operation));

/** Where a request names something that belongs to somebody. */
interface Naming {
  operation: Operation;
  what: string;
  put(draft: Draft, id: string): void;
}

/** Fields of bodies that name something of somebody, beside the path parameters that the access rules name. */
const bodyNames: Readonly<Record<string, string>> = { 'POST /client-apps pk': 'organization' };

/** Ids that are nobody's in particular. */
const ownedByNobody: Readonly<Record<string, string>> = {
  'GET /totp/{requestId} requestId': 'The id is of the caller’s own choice, and counts for that caller only.',
  'GET /dev-orgs/plans/{planId} planId': 'The plans are the same for everyone.',
  'POST /webauthn/authentication/store id': 'Every passkey may answer that can: that is how its user becomes known.',
  'POST /webauthn/authentication/store rawId': 'The same as id.',
  'POST /webauthn/authentication/verify id': 'Every passkey may answer that can: that is how its user becomes known.',
  'POST /webauthn/authentication/verify rawId': 'The same as id.',
  'POST /webauthn/registration/verify id': 'Chosen by the authenticator; one that is taken is refused.',
  'POST /webauthn/registration/verify rawId': 'The same as id.',
  'POST /dev-orgs pk': 'Not read: an organization always belongs to the caller.',
};

const namings: Naming[] = forUsers.flatMap((operation) => {
  const { object: owner } = operation.contract.access;
  const inPath = owner === undefined ? [] : [{ operation, what: owner.what, put: inPathAs(owner.param) }];
  const inBody = bodyFields(operation).flatMap((name) => {
    const what = bodyNames[`${operation.route} ${name}`];
    return what === undefined ? [] : [{ operation, what, put: inBodyAs(name) }];
  });
  return [...inPath, ...inBody];
});

function inPathAs(param: string) {
  return (draft: Draft, id: string) => {
    draft.path[param] = id;
  };
}

function inBodyAs(name: string) {
  return (draft: Draft, id: string) => {
    Object.assign(draft.body as object, { [name]: id });
  };
}

function bodyFields({ body }: Operation): string[] {
  return body === undefined ? [] : fieldsOf(asJsonSchema(body.schema)).map(({ name }) => name);
}

describe('a stranger', () => {
  let server: TestServer;
  let world: World;
  let mallory: Record<string, Headers>;

  before(async () => {
    server = await startTestServer(behindProxy);
    world = await settleWorld(server);
    const { id, key } = await server.apiKey(['$all'], malloryId);
    mallory = {
      'AE token': { authorization: world.mallory },
      'access token': { authorization: await server.bearer(malloryId, ['$all']) },
      'access token of an application': { authorization: await server.bearer(malloryId, ['$all'], id) },
      'AE token and API key': { authorization: world.mallory, 'x-api-key': key },
    };
    await server.worker.idle();
    await server.worker.stop(5_000);
  });
  after(() => server.close());

  async function ask({ operation, put }: Naming, id: string, headers: Headers): Promise<TestAnswer> {
    const draft = sampleRequest(operation, world.samples);
    put(draft, id);
    return visit(server, draft, headers);
  }

  for (const naming of namings) {
    const { operation, what } = naming;
    test(`gets the answer for a missing ${what} from ${operation.route}, to the byte`, async () => {
      const owned = world.owned[what];
      assert.ok(owned, `there is no ${what} in the world of these tests`);
      const atFirst = await rowsOf(server);
      for (const [credential, headers] of Object.entries(mallory)) {
        const missing = await ask(naming, owned.missing, headers);
        assert.equal(missing.status, 404, `${credential}: ${missing.text}`);
        assert.deepEqual(visible(await ask(naming, owned.id, headers)), visible(missing), credential);
      }
      assert.deepEqual(await rowsOf(server), atFirst);
    });
  }

  test('finds nothing of anybody else in what they may read', async () => {
    const ids = Object.values(world.owned).map(({ id }) => id);
    const reads = forUsers.filter(({ method, contract }) => method === 'GET' && contract.access.object === undefined);
    assert.ok(reads.length >= 5);
    for (const operation of reads) {
      for (const headers of Object.values(mallory)) {
        const { status, text } = await visit(server, sampleRequest(operation, world.samples), headers);
        assert.equal(status, operation.answer.status, `${operation.route}: ${text}`);
        assert.ok(!ids.some((id) => text.includes(id)) && !text.includes('acme@'), operation.route);
      }
    }
  });

  test('cannot use a one-time password that was mailed to somebody else', async () => {
    const verify = served.find(({ route }) => route === 'POST /dev-orgs/verify');
    assert.ok(verify);
    const answer = await visit(server, sampleRequest(verify, world.samples), { authorization: world.mallory });
    assert.equal(answer.json.error.code, 'INVALID_OTP');
  });
});

test('every id that a request can name is known to be somebody’s or nobody’s', () => {
  const names = forUsers.flatMap((operation) => {
    const owner = operation.contract.access.object?.param;
    const params = Object.keys(operation.params).filter(
      (name) => operation.path.includes(`{${name}}`) && name !== owner,
    );
    const fields = bodyFields(operation).filter((name) => /^[ps]k$|id$/i.test(name));
    return [...params, ...fields].map((name) => `${operation.route} ${name}`);
  });
  assert.deepEqual(names.sort(), [...Object.keys(bodyNames), ...Object.keys(ownedByNobody)].sort());
});

const changing = /^(x-request-id|date|x-ratelimit-.*)$/;

/** What a caller sees of an answer, without what differs from one request to the next in any case. */
function visible({ status, headers, text }: TestAnswer) {
  return { status, text, headers: [...headers].filter(([name]) => !changing.test(name)) };
}

async function rowsOf(server: TestServer): Promise<Record<string, string>> {
  const { rate_windows: _counters, processes: _heartbeats, ...rest } = await fingerprintTables(server);
  return rest;
}
