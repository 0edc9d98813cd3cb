import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bus } from '@latchkey/db';
import type { Announcement } from './announce.ts';
import { announcementsFor, type LiveEvent, Recent } from './announce.ts';

/** A bus for this test only. */
function testBus() {
  const listeners = new Set<(message: never) => void>();
  const reconnected = new Set<() => void>();
  const bus = {
    subscribe: (_topic: string, listener: (message: never) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onReconnect: (listener: () => void) => {
      reconnected.add(listener);
      return () => reconnected.delete(listener);
    },
  } as unknown as Bus;
  return {
    bus,
    say: (announcement: Announcement) => {
      for (const listener of listeners) listener(announcement as never);
    },
    reconnect: () => {
      for (const listener of reconnected) listener();
    },
  };
}

test('a client that read before subscribing gets exactly what it missed', () => {
  const time = { ms: 0 };
  const { bus, say } = testBus();
  const recent = new Recent(bus, 'news', () => time.ms);
  time.ms = 100_000;
  say({ changed: 'rules', community: 'old' });
  time.ms = 130_000;
  say({ changed: 'members', community: 'new' });
  time.ms = 131_000;
  const missed = (ageSeconds: number) => recent.since(ageSeconds)?.map(({ changed }) => changed);
  assert.deepEqual(missed(2), ['members']);
  assert.deepEqual(missed(30), ['rules', 'members']);
  assert.equal(missed(125), undefined, 'this process does not have announcements that old');
});

test('possible gaps are not ignored: after a disconnect, and when too much was announced', () => {
  const time = { ms: 0 };
  const { bus, say, reconnect } = testBus();
  const recent = new Recent(bus, 'news', () => time.ms);
  time.ms = 60_000;
  assert.deepEqual(recent.since(5), []);
  reconnect();
  assert.equal(recent.since(5), undefined);
  time.ms = 120_000;
  for (let count = 0; count <= 1_000; count += 1) say({ changed: 'activity' });
  time.ms = 121_000;
  assert.equal(recent.since(5), undefined);
});

test('a stream starts with what was missed, or says that everything may have changed', () => {
  const { bus, say } = testBus();
  const received: LiveEvent[] = [];
  const wants = ({ community }: Announcement) => community === 'mine';
  const listen = (readSecondsAgo?: number) =>
    announcementsFor({ bus }, wants, readSecondsAgo).open((event) => received.push(event));
  listen()();
  assert.deepEqual(received, [], 'without a time of reading, a client gets what follows');
  say({ changed: 'rules', community: 'mine' });
  listen(1)();
  assert.deepEqual(received, [{ changed: 'everything' }], 'this process has not listened for long enough to know');
  const stop = listen();
  say({ changed: 'changeSets', community: 'mine', id: 'p' });
  say({ changed: 'changeSets', community: 'theirs' });
  stop();
  say({ changed: 'members', community: 'mine' });
  assert.deepEqual(received.slice(1), [{ changed: 'changeSets', id: 'p' }]);
});
