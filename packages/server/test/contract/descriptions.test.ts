import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { resources } from '@latchkey/core';
import { describeApi, isOwnOperation, type Operation, type Resource } from '@latchkey/kernel';
import { readExamples } from '../../src/examples.ts';
import { readInventory, routeOf } from '../../src/inventory.ts';
import { changesSinceCommit, committedDescriptions, descriptionsFolder } from '../harness/committed-descriptions.ts';
import { served } from '../harness/served.ts';

interface Described {
  tags: string[];
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>;
}

interface Document {
  tags: { name: string }[];
  paths: Record<string, Record<string, Described>>;
}

const names = Object.keys(committedDescriptions) as (keyof typeof committedDescriptions)[];

function describe(part: 'published' | 'own' | 'all'): Document {
  const options = { serverUrl: 'https://latchkey.example', part, examples: readExamples() };
  return JSON.parse(JSON.stringify(describeApi(resources as readonly Resource[], options)));
}

function entriesOf({ paths }: Document): [route: string, described: Described][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]): [string, Described] => [`${method.toUpperCase()} ${path}`, one]),
  );
}

const routesOf = (operations: readonly Operation[]) => operations.map(({ route }): string => route).sort();

for (const name of names)
  test(`the committed document ${name} describes what is served; update it with npm run openapi`, () => {
    const changes = changesSinceCommit(name);
    assert.equal(changes.length, 0, `Run npm run openapi. What changed:\n${changes.slice(0, 50).join('\n')}`);
  });

test('a change of the API shows as such', () => {
  const [name] = names;
  assert.ok(name);
  const text = readFileSync(new URL(name, descriptionsFolder), 'utf8');
  const changed = text.replace('"operationId": "ping"', '"operationId": "pong"');
  assert.notEqual(changed, text);
  assert.deepEqual(changesSinceCommit(name, changed), [
    '- paths > /ping > get > operationId: "ping"',
    '+ paths > /ping > get > operationId: "pong"',
  ]);
});

test('the published document has exactly the 215 published operations, the other one the rest', () => {
  const published = entriesOf(describe('published')).map(([route]) => route);
  assert.deepEqual(published.sort(), readInventory().operations.map(routeOf).sort());
  const own = entriesOf(describe('own')).map(([route]) => route);
  assert.deepEqual(own.sort(), routesOf(served.filter(isOwnOperation)));
  assert.deepEqual(
    entriesOf(describe('all'))
      .map(([route]) => route)
      .sort(),
    routesOf(served),
  );
});

for (const part of ['published', 'own', 'all'] as const)
  test(`every operation of the ${part} document has one tag, which is described and used`, () => {
    const document = describe(part);
    const used = entriesOf(document).map(([route, { tags }]) => {
      assert.equal(tags.length, 1, route);
      return tags[0];
    });
    assert.deepEqual([...new Set(used)].sort(), document.tags.map(({ name }) => name).sort());
  });

test('a recorded response is inside the document wherever one is kept, except a JSON Schema', () => {
  const examples = readExamples();
  const readable = served.filter(({ answer }) => answer.kind === 'json' || answer.kind === 'text');
  const routes = routesOf(readable);
  const lacking = entriesOf(describe('all')).filter(([route, { responses }]) => {
    const kept = examples[route]?.response;
    if (kept?.body === undefined || !routes.includes(route)) return false;
    const shown = Object.values(responses[kept.status]?.content ?? {})[0]?.example;
    return JSON.stringify(shown) !== JSON.stringify(kept.body);
  });
  // Tools would resolve its references within the document.
  assert.deepEqual(
    lacking.map(([route]) => route),
    ['GET /latchkey/rule-files/schema'],
  );
  assert.ok(Object.values(examples).filter(({ response }) => response.body !== undefined).length > 300);
});

test('errors cost tools one reference per operation, and two where a protocol has its own', () => {
  for (const [route, { responses }] of entriesOf(describe('all'))) {
    const { default: error, ...successes } = responses;
    const references = JSON.stringify(error).match(/"\$ref"/g) ?? [];
    assert.ok(references.length === 1 || (references.length === 2 && route.includes(' /oauth2/')), route);
    assert.equal(Object.keys(successes).length, 1, route);
  }
});
