import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeptFeed } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import type { Server, Visit } from '../http/visit.ts';
import { createLiveStreams, EventStream } from './index.ts';

/** Reads everything that is available. */
const take = (stream: EventStream) => String(stream.read() ?? '');

test('events are sent in order, as server-sent events', () => {
  const stream = new EventStream();
  assert.equal(take(stream), '');
  stream.say({ changed: 'plans', id: '1' });
  stream.say({ changed: 'rules' });
  assert.equal(take(stream), 'data: {"changed":"plans","id":"1"}\n\ndata: {"changed":"rules"}\n\n');
});

test('a line break in a user-chosen name stays inside its event', () => {
  const stream = new EventStream();
  take(stream);
  stream.say({ changed: 'x', id: 'a\n\ndata: b' });
  assert.equal(take(stream), 'data: {"changed":"x","id":"a\\n\\ndata: b"}\n\n');
});

test('a slow reader gets each change once, and after too many only a general reload', () => {
  const stream = new EventStream();
  // Fills the stream's buffer.
  take(stream);
  while (stream.beat('x'.repeat(1_000)));
  for (let count = 0; count < 1_000; count++) stream.say({ changed: 'plans' });
  const few = new EventStream();
  assert.ok(stream.readableLength < 200_000);
  let text = '';
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) text += String(chunk);
  assert.equal(text.split('data:').length - 1, 1);
  for (let count = 0; count < 1_000; count++) few.say({ changed: 'plans', id: String(count) });
  const report = take(few).split('\n\n').filter(Boolean);
  assert.ok(report.length <= 51);
  assert.equal(report[0], 'data: {"changed":"everything"}');
});

test('nothing is sent after the end, and ending twice is not an error', () => {
  const stream = new EventStream();
  take(stream);
  stream.finish();
  stream.finish();
  stream.say({ changed: 'plans' });
  stream.beat('still here');
  assert.equal(take(stream), '');
});

/** Streams of applications, without a bus. */
function openKept(feed: KeptFeed<object>, { beatMs = 3_600_000 } = {}) {
  const bus = { subscribe: () => () => undefined, onReconnect: () => () => undefined };
  const quiet = { debug: () => undefined, warn: () => undefined };
  const server = { services: { bus, log: { for: () => quiet } } } as unknown as Server;
  const streams = createLiveStreams(server, { perCaller: 2, beatMs, unreadBeats: 1_000 });
  const opened: EventStream[] = [];
  const open = (id = 'app') => {
    const actor = { kind: 'client', client: { id }, credential: 'api-key' };
    const stream = streams.open({ answer: feed, actor } as unknown as Visit);
    opened.push(stream);
    return stream;
  };
  /** Disconnects the readers: a stream that nobody reads to its end stays open. */
  const close = () => {
    for (const stream of opened) stream.destroy();
  };
  return { open, close };
}

/** A log of numbered events that counts how often it is read. */
function numbered(total: number, fails: () => boolean = () => false) {
  const counts = { reads: 0 };
  const feed: KeptFeed<object> = {
    ttlSeconds: 3_600,
    start: '0',
    watch: () => () => undefined,
    read: async (after) => {
      counts.reads += 1;
      if (fails()) throw new Error('The database is away.');
      const from = Number(after);
      const ids = Array.from({ length: Math.min(100, total - from) }, (_, index) => String(from + index + 1));
      return { events: ids.map((id) => ({ id, event: { id } })), next: ids.at(-1) ?? after };
    },
  };
  return { feed, counts };
}

async function idsFrom(stream: EventStream, count: number): Promise<number[]> {
  let text = '';
  stream.on('data', (chunk) => {
    text += String(chunk);
  });
  const ids = () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  await until('all have come', () => ids().length >= count);
  return ids();
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('kept events are all sent once and in order, with the ids to resume after', async () => {
  const streams = openKept(numbered(1_000).feed);
  assert.deepEqual(await idsFrom(streams.open(), 1_000), upTo(1_000));
  streams.close();
});

test('nothing is read for a reader who takes nothing, so that it costs no memory', async () => {
  const { feed, counts } = numbered(1_000_000);
  const streams = openKept(feed);
  const stream = streams.open();
  stream.once('readable', () => undefined);
  await until('the buffer is full', () => stream.readableLength >= stream.readableHighWaterMark);
  const { reads } = counts;
  for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
  assert.equal(counts.reads, reads);
  assert.ok(stream.readableLength < 2 * stream.readableHighWaterMark, String(stream.readableLength));
  streams.close();
});

test('a read that failed is repeated from the same place', async () => {
  let reads = 0;
  const { feed } = numbered(250, () => {
    reads += 1;
    return reads % 2 === 1;
  });
  const streams = openKept(feed, { beatMs: 1 });
  assert.deepEqual(await idsFrom(streams.open(), 250), upTo(250));
  streams.close();
});

test('the streams of each application are limited by themselves', () => {
  const streams = openKept(numbered(0).feed);
  streams.open('one');
  streams.open('one');
  assert.throws(() => streams.open('one'), { code: 'RATE_LIMITED' });
  streams.open('two');
  streams.close();
});
