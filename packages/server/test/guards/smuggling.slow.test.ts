import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isOwnOperation, type Operation } from '@latchkey/kernel';
import { findSecrets } from '../harness/find-secrets.ts';
import { asJsonSchema, type JsonSchema } from '../harness/json-schema.ts';
import { dumpTables } from '../harness/read-tables.ts';
import { sampleRequest } from '../harness/sample-request.ts';
import { served } from '../harness/served.ts';
import { openWorld, rightCredential, type World } from '../harness/set-up-world.ts';
import type { TestServer } from '../harness/test-server.ts';
import { behindProxy, visit } from '../harness/visit-server.ts';
import { factsOf } from '../operation-facts/index.ts';

const always = ['isAdmin', 'ownerId', 'createdById', 'apiKeyHash', 'planId', 'verifiedAt', 'allowedScopes', 'counter'];
const marker = 'smuggled-in';

/** Returns fields to add to a body, each with a value that can be told from what the server sets. */
function contraband(operation: Operation): Record<string, unknown> {
  const { body, answer } = operation;
  const fields = { ...withoutWords(propertiesOf(answer.schema)), ...propertiesOf(body?.schema) };
  const own = (factsOf(operation).senderDecides ?? '').split(' ');
  const names = [...new Set([...Object.keys(fields), ...always])].filter((name) => !own.includes(name));
  return Object.fromEntries(
    names.map((name) => [name, fields[name]?.type === 'boolean' ? marker : valueFor(fields[name] ?? {})]),
  );
}

/** A fixed value could not be told from one that the server sets. */
function withoutWords(fields: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(fields).map(([name, { enum: _words, ...rest }]) => [name, rest]));
}

/** Returns the fields of an object, or of the objects in a list. */
function propertiesOf(schema: object | undefined): Record<string, JsonSchema> {
  const { properties, items } = asJsonSchema(schema ?? {});
  return properties ?? items?.properties ?? {};
}

function valueFor({ type, enum: words, items, properties }: JsonSchema): unknown {
  if (words !== undefined) return words.at(-1);
  // Can be told from what the server sets only together with the texts around it.
  if (type === 'boolean') return true;
  if (type === 'array') return [valueFor(items ?? {})];
  if (type === 'object') {
    const fields = Object.entries(properties ?? {});
    return fields.length === 0
      ? { [marker]: marker }
      : Object.fromEntries(fields.map(([name, inner]) => [name, valueFor(inner)]));
  }
  return type === 'number' ? 987_654_321 : marker;
}

/** Adds the fields to a body, or to each object of a list. */
function stuff(body: unknown, extra: Record<string, unknown>): unknown {
  return Array.isArray(body) ? body.map((item) => stuff(item, extra)) : { ...extra, ...(body as object) };
}

/** Own operations refuse fields that their body does not name; published ones ignore them. */
function refusesUnknown(operation: Operation, extra: Record<string, unknown>): boolean {
  const { body } = operation;
  if (!isOwnOperation(operation) || body?.kind !== 'json' || 'x-extensible' in body.schema) return false;
  return Object.keys(extra).some((name) => !Object.hasOwn(propertiesOf(body.schema), name));
}

describe('fields that only the server sets', () => {
  let server: TestServer;
  let world: World;
  before(async () => {
    world = await openWorld(behindProxy);
    server = world.server;
  });
  after(() => server.close());

  for (const operation of served.filter((each) => factsOf(each).senderDecides !== undefined)) {
    test(`are not read from the body of ${operation.route}`, async () => {
      const draft = sampleRequest(operation, world.samples);
      const extra = contraband(operation);
      draft.body = stuff(draft.body, extra);
      const { status, text, json } = await visit(server, draft, await rightCredential(world, operation));
      if (refusesUnknown(operation, extra))
        assert.deepEqual([status, json.error.code], [422, 'VALIDATION_FAILED'], text);
      else assert.equal(status, operation.answer.status, text);
      for (const answer of [json].flat())
        for (const [name, value] of Object.entries(extra)) assert.notDeepEqual(answer?.[name] ?? null, value, name);
      // Also inside a token, whose content is in base64.
      assert.deepEqual(findSecrets([{ name: 'contraband', value: marker }], [{ where: 'the answer', text }]), []);
      const rows = (await dumpTables(server)).filter(({ row }) => row.includes(marker) || row.includes('987654321'));
      assert.deepEqual(rows, []);
    });
  }
});

test('every body declares which fields its sender controls', () => {
  const isClear = (operation: Operation) => {
    const { senderDecides, freeBody } = factsOf(operation);
    const known = [senderDecides, freeBody].filter((each) => each !== undefined);
    return known.length === (operation.body === undefined ? 0 : 1);
  };
  assert.deepEqual(
    served.filter((operation) => !isClear(operation)).map(({ route }) => route),
    [],
  );
});
