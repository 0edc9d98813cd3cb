import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@latchkey/test-kit';
import { cutConnections, openQueue, type TestQueue } from '../queue/test-kit.ts';
import { type Bus, openBus, publish } from './index.ts';

describe('bus', () => {
  let queue: TestQueue;
  const buses: Bus[] = [];
  before(async () => {
    queue = await openQueue('bus');
  });
  after(async () => {
    await Promise.all(buses.map((bus) => bus.close()));
    await queue.close();
  });

  async function open(): Promise<Bus> {
    const bus = openBus({ url: queue.url, log: queue.log });
    buses.push(bus);
    await bus.ready();
    return bus;
  }

  test('a message reaches every process that listens to its topic, and no other listener', async () => {
    const received: unknown[] = [];
    const [one, two] = [await open(), await open()];
    one.subscribe('plans', (message) => void received.push(['one', message]));
    two.subscribe('plans', (message) => void received.push(['two', message]));
    two.subscribe('others', (message) => void received.push(['wrong', message]));
    await one.publish(queue.db.system, 'plans', { changed: 'gold', note: "it's ünïcode" });
    await until('both have received it', () => received.length === 2);
    assert.deepEqual(received.toSorted(), [
      ['one', { changed: 'gold', note: "it's ünïcode" }],
      ['two', { changed: 'gold', note: "it's ünïcode" }],
    ]);
  });

  test('a message is sent when its transaction commits, and never when it fails', async () => {
    const received: unknown[] = [];
    const bus = await open();
    bus.subscribe('outbox', ({ n }) => void received.push(n));
    await assert.rejects(
      queue.db.transaction('system', async (tx) => {
        await publish(tx, 'outbox', { n: 1 });
        throw new Error('no');
      }),
    );
    await queue.db.transaction('system', (tx) => publish(tx, 'outbox', { n: 2 }));
    await until('a listener has received it', () => received.length > 0);
    assert.deepEqual(received, [2]);
  });

  test('a message that is too large is refused with a way out', async () => {
    const bus = await open();
    await assert.rejects(bus.publish(queue.db.system, 'big', { text: 'x'.repeat(7_000) }), /larger than 7000 bytes/);
    await bus.publish(queue.db.system, 'big', { text: 'x'.repeat(6_900) });
  });

  test('an unsubscribed listener receives nothing more', async () => {
    const received: string[] = [];
    const bus = await open();
    const unsubscribe = bus.subscribe('news', () => void received.push('gone'));
    bus.subscribe('news', () => void received.push('here'));
    unsubscribe();
    await bus.publish(queue.db.system, 'news', {});
    await until('a listener has received it', () => received.length > 0);
    assert.deepEqual(received, ['here']);
  });

  test('a listener that throws or rejects does not affect others', async () => {
    const received: number[] = [];
    const bus = await open();
    bus.subscribe('rough', () => {
      throw new Error('listener one is broken');
    });
    bus.subscribe('rough', () => Promise.reject(new Error('listener two is broken')));
    bus.subscribe('rough', () => void received.push(1));
    await bus.publish(queue.db.system, 'rough', {});
    await until('it was received', () => received.length === 1);
    const complaints = () => queue.log.lines.filter((line) => line.includes('is broken'));
    await until('both failures are in the log', () => complaints().length === 2);
  });

  test('foreign messages are ignored', async () => {
    const received: unknown[] = [];
    const bus = await open();
    bus.subscribe('odd', (message) => void received.push(message));
    for (const text of ['not json', '7', 'null', '{"topic":"odd"}', '{"topic":1,"message":{}}']) {
      await queue.db.pool.query("select pg_notify('latchkey_bus', $1)", [text]);
    }
    await bus.publish(queue.db.system, 'odd', { fine: true });
    await until('a listener has received it', () => received.length > 0);
    assert.deepEqual(received, [{ fine: true }]);
  });

  test('a bus whose connection was cut listens again and reports it', async () => {
    const received: unknown[] = [];
    let reconnects = 0;
    const bus = await open();
    bus.subscribe('after', (message) => void received.push(message));
    bus.onReconnect(() => {
      reconnects += 1;
    });
    assert.ok((await cutConnections(queue.url, 'latchkey-bus')) > 0);
    await until('the bus is connected again', () => reconnects === 1);
    await bus.publish(queue.db.system, 'after', { n: 1 });
    await until('it was received', () => received.length === 1);
  });
});
