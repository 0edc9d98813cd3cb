import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventStream } from './index.ts';

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
