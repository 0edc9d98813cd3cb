import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Operation } from '@latchkey/kernel';
import { asJsonSchema, type JsonSchema } from '../harness/json-schema.ts';
import { dumpTables } from '../harness/read-tables.ts';
import { sampleRequest } from '../harness/sample-request.ts';
import { isOperatorOnly, served } from '../harness/served.ts';
import { settleWorld, type World } from '../harness/settle-world.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { behindProxy, visit } from '../harness/visit-server.ts';

const aboutApps =
  'name email feedback url icon clientType redirectUris allowedGrantTypes allowedOrigins allowedReferrers allowedIpAddresses subscribeEvents webhookUrl';

/** What the sender of a body decides. Everything else is the server's to set. */
const decides: Readonly<Record<string, string>> = {
  'POST /client-apps': `${aboutApps} pk`,
  'PUT /client-apps/{id}': `${aboutApps} status tenant requestedScopes allowedScopes disallowedScopes`,
  'PATCH /client-apps/{id}': 'name',
  'POST /dev-orgs': 'name email',
  'POST /dev-orgs/verify': 'otp',
  'PATCH /webauthn/credentials/{id}': 'name',
  'POST /webauthn/authentication/store': 'id rawId type response clientExtensionResults',
  'POST /webauthn/authentication/verify': 'id rawId type response clientExtensionResults slug',
  'POST /webauthn/registration/verify':
    'id rawId type response authenticatorAttachment clientExtensionResults name userAgent',
  'POST /ethereum-login/challenges': 'state uri domain accountId resources',
  'POST /ethereum-login/id-tokens': 'requestId signature signatureType accountId scopes',
};

/** Bodies that belong to the sender altogether. */
const free = ['POST /states', 'PUT /log/settings'];

const always = ['isAdmin', 'ownerId', 'createdById', 'apiKeyHash', 'planId', 'verifiedAt', 'allowedScopes', 'counter'];
const marker = 'smuggled-in';

/** The fields a body could be stuffed with, each with a value that can be told from what the server sets. */
function contraband({ route, body, answer }: Operation): Record<string, unknown> {
  const fields = { ...propertiesOf(answer.schema), ...propertiesOf(body?.schema) };
  const own = (decides[route] ?? '').split(' ');
  const names = [...new Set([...Object.keys(fields), ...always])].filter((name) => !own.includes(name));
  return Object.fromEntries(names.map((name) => [name, valueFor(fields[name] ?? {})]));
}

function propertiesOf(schema: object | undefined): Record<string, JsonSchema> {
  return asJsonSchema(schema ?? {}).properties ?? {};
}

function valueFor({ type, enum: words, items }: JsonSchema): unknown {
  if (words !== undefined) return words.at(-1);
  if (type === 'array')
    return items?.type === 'object' ? [{ action: marker, actionBy: marker, timestamp: marker }] : [marker];
  return type === 'number' ? 987_654_321 : marker;
}

describe('fields that only the server sets', () => {
  let server: TestServer;
  let world: World;
  before(async () => {
    server = await startTestServer(behindProxy);
    world = await settleWorld(server);
  });
  after(() => server.close());

  for (const operation of served.filter(({ route }) => route in decides)) {
    test(`are not read from the body of ${operation.route}`, async () => {
      const draft = sampleRequest(operation, world.samples);
      const extra = contraband(operation);
      draft.body = { ...extra, ...(draft.body as object) };
      const right: Record<string, string> = isOperatorOnly(operation)
        ? { 'x-api-key': server.adminKey }
        : { authorization: world.alice };
      const { status, text, json } = await visit(server, draft, right);
      assert.equal(status, operation.answer.status, text);
      for (const [name, value] of Object.entries(extra)) assert.notDeepEqual(json?.[name] ?? null, value, name);
      const rows = (await dumpTables(server)).filter(({ row }) => row.includes(marker) || row.includes('987654321'));
      assert.deepEqual(rows, []);
    });
  }
});

test('it is known of every body what its sender decides', () => {
  const withBody = served.filter(({ body }) => body !== undefined).map(({ route }) => route);
  assert.deepEqual(withBody.sort(), [...Object.keys(decides), ...free].sort());
});
