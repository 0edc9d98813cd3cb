import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextFor, createDevelopmentApp } from '@latchkey/core';
import { appendEvents } from '@latchkey/core/testing/insides';
import { seed, until, volume } from '@latchkey/test-kit';
import { throwDice } from '../harness/dice.ts';
import type { TestServer } from '../harness/test-server.ts';

interface Received {
  id: string;
  event: { id: string; position: string; type: string; data: Record<string, unknown> };
}

/** Reads a stream as `EventSource` does, until it ends or is left. */
async function listen(server: TestServer, path: string, headers: Record<string, string>) {
  const leave = new AbortController();
  const response = await fetch(server.url + path, { headers, signal: leave.signal });
  assert.equal(response.status, 200, response.ok ? '' : await response.text());
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const heard = { text: '', isOver: false };
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) heard.text += decoder.decode(chunk, { stream: true });
  })().catch(() => undefined);
  void reading.then(() => {
    heard.isOver = true;
  });
  const received = (): Received[] =>
    heard.text.split('\n\n').flatMap((block) => {
      const [, id = '', data = ''] = /^id: (\d+)\ndata: (.+)$/.exec(block) ?? [];
      return data === '' ? [] : [{ id, event: JSON.parse(data) }];
    });
  return {
    heard,
    received,
    leave: async () => {
      leave.abort();
      await reading;
    },
  };
}

/** The event stream of a community over HTTP: who gets it, how it resumes, and when it ends. */
export function eventsSuite(running: () => TestServer, newPerson: () => string): void {
  const operator = () => ({ 'x-api-key': running().adminKey });

  async function newCommunity() {
    const json = { platform: 'discord', communityId: newPerson().replace(/\D/g, '') };
    const { status, text, json: made } = await running().request('POST', '/communities', { headers: operator(), json });
    assert.equal(status, 200, text);
    const base = `/latchkey/communities/${encodeURIComponent(made.id)}`;
    return { id: made.id as string, stream: `${base}/event-stream`, list: `${base}/events` };
  }
  /** Reports a new rule, as its creation does in its transaction. */
  async function addRule(communityId: string, roleId: string): Promise<void> {
    const { services } = running();
    const community = { id: communityId, owner_id: 'DIS#USER#1' };
    await services.db.transaction('system', (tx) =>
      appendEvents(services, tx, 'rule.created', [
        { community, data: { ruleId: 'TPC#1', roleId, changedBy: 'DIS#USER#1' } },
      ]),
    );
  }
  const rolesIn = (events: readonly { event: Received['event'] }[]) => events.map(({ event }) => event.data.roleId);

  test('an event arrives when it happens, and a reader who was away resumes after the last one', async () => {
    const { id, stream, list } = await newCommunity();
    const first = await listen(running(), stream, operator());
    await addRule(id, 'one');
    await until('the event has come', () => first.received().length === 1);
    await first.leave();
    await addRule(id, 'two');
    await addRule(id, 'three');
    const lastId = first.received()[0]?.id ?? '';
    for (const [path, headers] of [
      [stream, { 'last-event-id': lastId }],
      [`${stream}?after=${lastId}`, {}],
      [`${stream}?after=0`, { 'last-event-id': lastId }],
    ] as const) {
      const second = await listen(running(), path, { ...operator(), ...headers });
      await until('both have come', () => second.received().length === 2);
      assert.deepEqual(rolesIn(second.received()), ['two', 'three'], path);
      await second.leave();
    }
    const all = await listen(running(), `${stream}?after=0`, operator());
    await until('all have come', () => all.received().length === 3);
    await all.leave();
    const listed = await running().request('GET', `${list}?limit=2`, { headers: operator() });
    assert.deepEqual(
      listed.json.items,
      all
        .received()
        .map(({ event }) => event)
        .reverse()
        .slice(0, 2),
    );
    const next = `${list}?limit=2&paginationToken=${listed.json.paginationToken}`;
    const rest = await running().request('GET', next, { headers: operator() });
    assert.deepEqual(
      [rolesIn(rest.json.items.map((event: object) => ({ event }))), rest.json.paginationToken],
      [['one'], undefined],
    );
  });

  test('readers who are cut off and resume miss nothing, and get the events of each member in order, in any history', async () => {
    const dice = throwDice(seed('event-stream'));
    const histories = volume(4, 100);
    for (let history = 0; history < histories; history += 1) {
      const { id, stream } = await newCommunity();
      const readers = [readWithCuts(stream, dice.below(1_000)), readWithCuts(stream, dice.below(1_000))];
      const written = await Promise.all([0, 1, 2].map((writer) => writeEvents(id, writer, dice.below(1_000))));
      const total = written.flatMap((members) => [...members.values()]).reduce((sum, count) => sum + count, 0);
      for (const reader of readers) {
        await until('the reader is at the end', () => reader.last >= total);
        await reader.leave();
        const positions = [...reader.seen.keys()];
        assert.deepEqual(
          positions.toSorted((a, b) => a - b),
          upTo(total),
          `history ${history}`,
        );
        for (const [member, count] of written.flatMap((members) => [...members])) {
          const own = [...reader.seen.values()].filter(({ userId }) => userId === member);
          const turns = own.map(({ roleId }) => Number(roleId));
          assert.deepEqual(turns, upTo(count), `${member} in history ${history}`);
        }
      }
    }
  });

  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

  /** Writes events of members that nobody else writes about, some in transactions that roll back. Returns how many of each. */
  async function writeEvents(communityId: string, writer: number, salt: number): Promise<Map<string, number>> {
    const dice = throwDice(`${seed('event-stream')} ${salt}`);
    const { db } = running().services;
    const written = new Map<string, number>();
    for (let change = 0; change < 12; change += 1) {
      const userId = `DIS#USER#${writer}${dice.below(2)}`;
      const turns = Array.from({ length: 1 + dice.below(3) }, (_, index) => (written.get(userId) ?? 0) + index + 1);
      const isRolledBack = dice.chance(0.2);
      const community = { id: communityId, owner_id: 'DIS#USER#1' };
      const work = db.transaction('system', async (tx) => {
        for (const turn of turns)
          await appendEvents(running().services, tx, 'member.role-granted', [
            { community, memberId: userId, data: { roleId: String(turn), changeSetId: 'one' } },
          ]);
        if (isRolledBack) throw new Error('rolled back');
      });
      if (isRolledBack) await assert.rejects(work, { message: 'rolled back' });
      else {
        await work;
        written.set(userId, turns.at(-1) ?? 0);
      }
    }
    return written;
  }

  /** Reads from the oldest event on, and is cut off again and again, also in the middle of an event. */
  function readWithCuts(stream: string, salt: number) {
    const dice = throwDice(`${seed('event-stream')} ${salt}`);
    const reader = { last: 0, seen: new Map<number, Record<string, unknown>>(), leave };
    let isOver = false;
    let cut = new AbortController();
    const reading = (async () => {
      while (!isOver) {
        cut = new AbortController();
        const headers = { ...operator(), ...(reader.last > 0 && { 'last-event-id': String(reader.last) }) };
        const response = await fetch(`${running().url}${stream}?after=0`, { headers, signal: cut.signal });
        assert.equal(response.status, 200);
        let bytesLeft = 1 + dice.below(3_000);
        let text = '';
        const decoder = new TextDecoder();
        for await (const chunk of response.body ?? []) {
          text += decoder.decode(chunk.subarray(0, bytesLeft), { stream: true });
          bytesLeft -= chunk.byteLength;
          const blocks = text.split('\n\n');
          text = blocks.pop() ?? '';
          for (const block of blocks) {
            const [, id = '', data = ''] = /^id: (\d+)\ndata: (.+)$/.exec(block) ?? [];
            if (data === '') continue;
            reader.last = Number(id);
            reader.seen.set(reader.last, JSON.parse(data).data);
          }
          if (bytesLeft <= 0) break;
        }
        cut.abort();
      }
    })().catch((error: Error) => {
      if (!isOver) throw error;
    });
    async function leave(): Promise<void> {
      isOver = true;
      cut.abort();
      await reading;
    }
    return reader;
  }

  test('a reader whose last event was removed is informed once', async () => {
    const { id, stream } = await newCommunity();
    await addRule(id, 'old');
    const early = await listen(running(), `${stream}?after=0`, operator());
    await until('the event has come', () => early.received().length === 1);
    await early.leave();
    const { system } = running().services.db;
    await system
      .updateTable('event_streams')
      .set({ removed_through: 5, last_position: 5 })
      .where('community_id', '=', id)
      .execute();
    await addRule(id, 'new');
    const late = await listen(running(), stream, { ...operator(), 'last-event-id': '1' });
    await until('the events have come', () => late.received().length === 2);
    await late.leave();
    const [gap, event] = late.received();
    assert.deepEqual([gap?.event.type, event?.event.data.roleId], ['events.removed', 'new']);
    const resumed = await listen(running(), stream, { ...operator(), 'last-event-id': gap?.id ?? '' });
    await until('the event has come', () => resumed.received().length === 1);
    assert.equal(resumed.received()[0]?.event.type, 'rule.created');
    await resumed.leave();
  });

  test('strangers get "not found", and a wrong position is refused', async () => {
    const { stream, list } = await newCommunity();
    const authorization = await running().aeToken(newPerson());
    for (const path of [stream, list]) {
      const stranger = await running().request('GET', path, { headers: { authorization } });
      assert.deepEqual([stranger.status, stranger.json.error.code], [404, 'ENTITY_NOT_FOUND']);
      assert.equal((await running().request('GET', path)).status, 401);
    }
    for (const after of ['-1', 'x', '1e3', '9'.repeat(16)])
      assert.equal(
        (await running().request('GET', `${stream}?after=${after}`, { headers: operator() })).status,
        400,
        after,
      );
    const header = await running().request('GET', stream, { headers: { ...operator(), 'last-event-id': 'x' } });
    assert.equal(header.status, 400);
  });

  test('the stream of an application ends as soon as its access or its key does', async () => {
    const { id, stream } = await newCommunity();
    const admin = contextFor(running().services, { kind: 'admin', name: 'test' });
    const app = await createDevelopmentApp(admin, { userId: newPerson(), name: 'Reader', scopes: ['community:read'] });
    const key = { 'x-api-key': app.apiKey ?? '' };
    assert.equal((await running().request('GET', stream, { headers: key })).status, 404);
    const access = `/latchkey/communities/${encodeURIComponent(id)}/applications/${app.id}`;
    const grant = () => running().request('PUT', access, { headers: operator() });
    assert.equal((await grant()).status, 200);
    const first = await listen(running(), stream, key);
    assert.equal((await running().request('DELETE', access, { headers: operator() })).status, 204);
    await until('the stream has ended', () => first.heard.isOver);
    assert.equal((await grant()).status, 200);
    const second = await listen(running(), stream, key);
    await addRule(id, 'one');
    await until('the event has come', () => second.received().length === 1);
    const path = `/client-apps/${app.id}/reset-api-key`;
    const reset = await running().request('PATCH', path, { headers: operator() });
    assert.equal(reset.status, 200, reset.text);
    await until('the stream has ended', () => second.heard.isOver);
  });
}
