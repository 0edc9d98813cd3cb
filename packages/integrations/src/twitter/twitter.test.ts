import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { startTwitterEmulator } from '@latchkey/emulators/twitter';
import { asking, startEmulator } from '../testing/start-emulator.ts';
import { createTwitterHoldings } from './index.ts';

const ask = asking('twitter:twitter', 'profile');

async function start(t: TestContext) {
  const emulator = await startEmulator(t, startTwitterEmulator());
  emulator.state.users.push(
    { id: '12', username: 'Jack', followers: 6_000_000, isVerified: true },
    { id: '13', username: 'gone', followers: 1, isSuspended: true },
  );
  const open = (timeoutMs = patientMs) =>
    createTwitterHoldings({ ...emulator.options, timeoutMs, apiKey: emulator.state.bearerToken });
  return { ...emulator, open, reader: open() };
}

test('a profile is one token with traits, found by name or number, many in one request', async (t) => {
  const { reader, requests, state } = await start(t);
  for (let id = 100; id < 250; id += 1) state.users.push({ id: String(id), username: `user${id}`, followers: id });
  const many = Array.from({ length: 150 }, (_, index) => ask('data', String(index + 100)));
  const [jack, same, nobody, suspended, ...others] = await reader.read([
    ask('data', '@jack'),
    ask('data', '12'),
    ask('data', 'nobody'),
    ask('data', 'gone'),
    ...many,
  ]);
  assert.deepEqual(jack, same);
  assert.ok(jack?.kind === 'read' && jack.tokens?.[0]);
  assert.equal(jack.tokens[0].id, '12');
  const attributes = jack.tokens[0].metadata?.attributes;
  assert.ok(Array.isArray(attributes));
  assert.deepEqual(
    attributes.find(({ trait_type }) => trait_type === 'followers_count'),
    { trait_type: 'followers_count', value: 6_000_000 },
  );
  assert.deepEqual(nobody, { kind: 'read', amount: '0', tokens: [] });
  assert.deepEqual(suspended, { kind: 'unknown', reason: 'X returned no data for this account.' });
  assert.ok(others.length === 150 && others.every((answer) => answer.kind === 'read' && answer.amount === '1'));
  assert.equal(requests.length, 3);
});

test('whatever is wrong with the service, the result is unknown', async (t) => {
  const { open, reader, ...emulator } = await start(t);
  await refuseMisbehaviour(emulator, open, [ask('data', 'jack')], {
    'nothing said': () => ({}),
    'a value that is not a list': () => ({ data: { id: '12' } }),
    'another account': (body) => JSON.parse(JSON.stringify(body).replace('"username":"Jack"', '"username":"Jill"')),
  });
  const [refused] = await reader.read([ask('data', 'not a name')]);
  assert.equal(refused?.kind, 'unknown');
});
