import assert from 'node:assert/strict';
import { test } from 'node:test';
import { announce } from '@latchkey/core';
import { type Enqueueable, enqueue } from '@latchkey/db';
import { OpenObject } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { consoleSession } from '../harness/console-session.ts';
import type { TestServer } from '../harness/test-server.ts';

type Headers = Record<string, string>;

/** Reads a stream as a page would, until it ends or is left. */
async function listen(server: TestServer, path: string, headers: Headers) {
  const leave = new AbortController();
  const response = await fetch(server.url + path, { headers, signal: leave.signal });
  assert.equal(response.status, 200, response.ok ? '' : await response.text());
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const received = { text: '', isOver: false };
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) received.text += decoder.decode(chunk, { stream: true });
  })().catch(() => undefined);
  void reading.then(() => {
    received.isOver = true;
  });
  await until('the stream is open', () => received.text.startsWith(': listening\n\n'));
  return {
    received,
    events: () =>
      received.text
        .split('\n\n')
        .filter((block) => block.startsWith('data: '))
        .map((block) => JSON.parse(block.slice(6))),
    leave: async () => {
      leave.abort();
      await reading;
    },
  };
}

/** The event of the sign-in itself may arrive before the stream is open or after. */
const sinceSignIn = (stream: { events(): { changed: string }[] }) =>
  stream.events().filter(({ changed }) => changed !== 'sessions');

/** Live streams over HTTP: who gets which events, and when streams end. */
export function liveSuite(running: () => TestServer, newPerson: () => string): void {
  const say = (announcement: Parameters<typeof announce>[1]) => announce(running().services.db.system, announcement);
  const signIn = async (userId: string) =>
    consoleSession(running(), { authorization: await running().aeToken(userId) });

  async function newCommunity(): Promise<string> {
    const json = { platform: 'discord', communityId: newPerson().replace(/\D/g, '') };
    const made = await running().request('POST', '/communities', {
      headers: { 'x-api-key': running().adminKey },
      json,
    });
    assert.equal(made.status, 200, made.text);
    return made.json.id;
  }

  test('a user is notified about their own account, and no one else’s', async () => {
    const [ann, bob] = [newPerson(), newPerson()];
    const stream = await listen(running(), '/latchkey/account/live', await signIn(ann));
    await say({ changed: 'wallets', accounts: [bob] });
    await say({ changed: 'roles', accounts: [bob, ann], id: 'one' });
    await until('the event has come', () => sinceSignIn(stream).length > 0);
    assert.deepEqual(sinceSignIn(stream), [{ changed: 'roles', id: 'one' }]);
    await stream.leave();
  });

  test('an event is sent when its transaction commits, and never when it fails', async () => {
    const ann = newPerson();
    const stream = await listen(running(), '/latchkey/account/live', await signIn(ann));
    const { db } = running().services;
    const failing = db.transaction('system', async (tx) => {
      await announce(tx, { changed: 'wallets', accounts: [ann] });
      throw new Error('no');
    });
    await assert.rejects(failing);
    await db.transaction({ owner: ann }, (tx) => announce(tx, { changed: 'roles', accounts: [ann] }));
    await until('the event has come', () => sinceSignIn(stream).length > 0);
    assert.deepEqual(sinceSignIn(stream), [{ changed: 'roles' }]);
    await stream.leave();
  });

  test('an admin of a community is notified; strangers get "not found"', async () => {
    const communityId = await newCommunity();
    const path = `/latchkey/communities/${encodeURIComponent(communityId)}/live`;
    const operator = await consoleSession(running(), { 'x-api-key': running().adminKey });
    const stream = await listen(running(), path, operator);
    await say({ changed: 'changeSets', community: 'another' });
    await say({ changed: 'changeSets', community: communityId, id: 'plan' });
    await until('the event has come', () => stream.events().length > 0);
    assert.deepEqual(stream.events(), [{ changed: 'changeSets', id: 'plan' }]);
    const refused = await running().request('GET', path, { headers: await signIn(newPerson()) });
    assert.deepEqual([refused.status, refused.json.error.code], [404, 'ENTITY_NOT_FOUND']);
    assert.equal((await running().request('GET', path)).status, 401);
    await stream.leave();
  });

  test('only the operator is notified of audit entries', async () => {
    const ann = newPerson();
    const stream = await listen(running(), '/latchkey/live', { 'x-api-key': running().adminKey });
    const key = await running().request('GET', '/latchkey/live', { headers: await signIn(ann) });
    assert.equal(key.status, 403);
    await until('the sign-in was heard', () =>
      stream.events().some(({ changed }: { changed: string }) => changed === 'sessions'),
    );
    await stream.leave();
  });

  test('the operator is notified of dead jobs', async () => {
    const stream = await listen(running(), '/latchkey/live', { 'x-api-key': running().adminKey });
    const { db } = running().services;
    // No worker accepts this payload, so the job is given up at once.
    const kind: Enqueueable<Record<string, unknown>> = { name: 'credentials.purge', payload: OpenObject };
    await enqueue(db.system, kind, { unknown: true });
    await until('the operator has heard', () =>
      stream.events().some(({ changed }: { changed: string }) => changed === 'jobs'),
    );
    await db.system.deleteFrom('jobs').where('state', '=', 'dead').execute();
    await stream.leave();
  });

  test('a stream ends when its session is logged out, and one of another browser continues', async () => {
    const ann = newPerson();
    const [first, second] = [await signIn(ann), await signIn(ann)];
    const mine = await listen(running(), '/latchkey/account/live', first);
    const other = await listen(running(), '/latchkey/account/live', second);
    const out = await running().request('DELETE', '/latchkey/session', { headers: first });
    assert.equal(out.status, 204);
    await until('the stream has ended', () => mine.received.isOver);
    await until('the other has received it', () => other.events().length > 0);
    assert.equal(other.received.isOver, false);
    const all = await running().request('DELETE', '/latchkey/account/sessions', { headers: second });
    assert.equal(all.status, 204);
    await until('the other has ended', () => other.received.isOver);
  });

  test('a caller with too many streams is refused another, and may open one when another is closed', async () => {
    const headers = await signIn(newPerson());
    const path = '/latchkey/account/live';
    const streams = await Promise.all(Array.from({ length: 20 }, () => listen(running(), path, headers)));
    const refused = await running().request('GET', path, { headers });
    assert.deepEqual([refused.status, refused.json.error.code], [429, 'RATE_LIMITED']);
    await streams[0]?.leave();
    // The server notices only after a while that a client has disconnected.
    await until('there is room again', async () => (await running().request('GET', path, { headers })).status === 200);
    await Promise.all(streams.map(({ leave }) => leave()));
  });

  test('a stream ends after the requested time', async () => {
    const stream = await listen(running(), '/latchkey/account/live?seconds=0', await signIn(newPerson()));
    await until('the stream has ended', () => stream.received.isOver);
    const wrong = await running().request('GET', '/latchkey/account/live?seconds=4000', {
      headers: await signIn(newPerson()),
    });
    assert.equal(wrong.status, 400);
  });
}
