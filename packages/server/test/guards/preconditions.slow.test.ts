import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Operation, readerInput, readerOf } from '@latchkey/kernel';
import { seed, volume } from '@latchkey/test-kit';
import { throwDice } from '../harness/dice.ts';
import { codeOf } from '../harness/error-shape.ts';
import { samplesFor } from '../harness/operation-samples.ts';
import { type Draft, sampleRequest } from '../harness/sample-request.ts';
import { served } from '../harness/served.ts';
import { openWorld, rightCredential, type World } from '../harness/set-up-world.ts';
import type { TestServer } from '../harness/test-server.ts';
import { behindProxy, visit } from '../harness/visit-server.ts';

/** Only an app on Reddit makes what this removes. */
const outOfReach = ['DELETE /latchkey/communities/{communityId}/devvit'];

const changes = served.flatMap((change) => {
  const reader = readerOf(change, served);
  return reader === undefined || outOfReach.includes(change.route) ? [] : [{ change, reader }];
});

describe('If-Match', () => {
  let server: TestServer;
  let world: World;
  before(async () => {
    world = await openWorld(behindProxy);
    server = world.server;
  });
  after(() => server.close());

  const draftOf = async (change: Operation) => sampleRequest(change, await samplesFor(world, change, () => 1));
  const reading = (reader: Operation, { operation, path }: Draft): Draft => ({
    operation: reader,
    method: 'GET',
    path: readerInput(operation, reader, path),
    query: [],
    headers: [],
    body: undefined,
  });

  /** Some changes are open to people who may not read the object: only applications and the operator may. */
  async function readerCredential(change: Operation, reader: Operation, draft: Draft) {
    const credential = await rightCredential(world, change);
    const { status } = await visit(server, reading(reader, draft), credential);
    return status === 403 ? operator() : credential;
  }
  const operator = () => ({ 'x-api-key': server.adminKey });

  for (const { change, reader } of changes)
    test(`${change.route} changes only the version that the request names`, async () => {
      const draft = await draftOf(change);
      await server.worker.idle();
      const credential = await readerCredential(change, reader, draft);
      const read = () => visit(server, reading(reader, draft), credential);
      const first = await read();
      assert.equal(first.status, 200, first.text);
      const tag = first.headers.get('etag') ?? '';
      assert.match(tag, /^"[\w-]{22}"$/);
      assert.equal((await read()).headers.get('etag'), tag, 'the same object has the same tag');
      const known = await visit(server, reading(reader, draft), { ...credential, 'if-none-match': tag });
      assert.deepEqual([known.status, known.text, known.headers.get('etag')], [304, '', tag]);
      for (const other of ['"other"', `W/${tag}`]) {
        const refused = await visit(server, draft, { ...credential, 'if-match': other });
        assert.deepEqual([refused.status, codeOf(refused.text)], [412, 'PRECONDITION_FAILED'], refused.text);
      }
      assert.equal((await read()).text, first.text, 'a refused change changes nothing');
      const changed = await visit(server, draft, { ...credential, 'if-match': `"other", ${tag}` });
      assert.equal(changed.status, change.answer.status, changed.text);
    });

  test('refuses a change of what has no ETag, and counts for changes only', async () => {
    const headers = { authorization: world.alice, 'if-match': '*' };
    const without = await server.request('DELETE', '/latchkey/client-apps/sample/api-key/old', { headers });
    assert.ok([404, 412].includes(without.status), without.text);
    assert.equal((await server.request('GET', '/latchkey/account/communities', { headers })).status, 200);
  });

  test('lets one of several writers of a version win, and none overwrites what it has not seen, in any order', async () => {
    const dice = throwDice(seed('preconditions'));
    const { id } = (
      await server.request('POST', '/client-apps', {
        headers: { authorization: world.alice },
        json: { name: 'Raced' },
      })
    ).json;
    const community = encodeURIComponent(world.community.id);
    const [{ id: planId, ...plan }] = (await server.request('GET', '/latchkey/plans', { headers: operator() })).json;
    const patch = (path: string, headers: Record<string, string>) => ({
      path,
      headers,
      change: (name: string) => ({ method: 'PATCH', path, json: { name } as object }),
      nameIn: (json: { name: string }) => json.name,
      joins: true,
    });
    const objects = [
      patch(`/client-apps/${id}`, { authorization: world.alice }),
      patch(`/communities/${community}`, operator()),
      {
        path: '/latchkey/plans',
        headers: operator(),
        change: (name: string) => ({ method: 'PUT', path: `/latchkey/plans/${planId}`, json: { ...plan, name } }),
        nameIn: (plans: { id: string; name: string }[]) => plans.find((one) => one.id === planId)?.name ?? '',
        // It runs in a transaction of its own, so a change without If-Match can come between reading and writing.
        joins: false,
      },
    ];
    const rounds = volume(12, 300);
    for (let round = 0; round < rounds; round += 1) {
      const object = dice.pick(objects);
      const { path, headers, joins } = object;
      const tag = (await server.request('GET', path, { headers })).headers.get('etag') ?? '';
      const isOvertaken = joins && dice.chance(0.5);
      const write = async (name: string, more: Record<string, string>) => {
        for (let turns = dice.below(30); turns > 0; turns -= 1) await new Promise(setImmediate);
        const { method, path: changed, json } = object.change(name);
        return server.request(method, changed, { headers: { ...headers, ...more }, json });
      };
      const names = Array.from({ length: 2 + dice.below(3) }, (_, writer) => `Round ${round} writer ${writer}`);
      const [blind, ...answers] = await Promise.all([
        isOvertaken ? write(`Round ${round} blind`, {}) : undefined,
        ...names.map((name) => write(name, { 'if-match': tag })),
      ]);
      const winners = names.filter((_, writer) => (answers[writer]?.status ?? 500) < 300);
      const label = `round ${round} of ${path}: ${answers.map((answer) => answer?.text.slice(0, 90)).join(' ')}`;
      for (const answer of answers) assert.ok((answer?.status ?? 500) < 300 || answer?.status === 412, label);
      if (isOvertaken) assert.ok((blind?.status ?? 500) < 300, blind?.text);
      assert.ok(winners.length <= 1 && (isOvertaken || winners.length === 1), label);
      const { json } = await server.request('GET', path, { headers });
      assert.equal(object.nameIn(json), isOvertaken ? `Round ${round} blind` : winners[0], label);
    }
  });
});
