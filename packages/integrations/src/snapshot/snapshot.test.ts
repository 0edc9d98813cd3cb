import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSnapshotEmulator } from '@latchkey/emulators/snapshot';
import { patientMs } from '@latchkey/emulators/testing';
import { startEmulator } from '../testing/start-emulator.ts';
import { createSnapshotHub } from './index.ts';

const space = { id: 'cats.eth', name: 'Cats' };

test('spaces and proposals are read, and unknown ones are undefined', async (t) => {
  const emulator = await startEmulator(t, startSnapshotEmulator());
  emulator.state.spaces.push(space, { id: 'nameless.eth' });
  const times = { created: 1, start: 2, end: 3 };
  const proposal = {
    id: '0xabc',
    space,
    title: 'More fish',
    body: 'Please.',
    author: '0x1',
    choices: ['Yes'],
    ...times,
  };
  emulator.state.proposals.push(proposal, { ...proposal, id: '0xdef', flagged: true, link: 'https://snapshot.org/x' });
  const hub = createSnapshotHub({ ...emulator.options, apiKey: 'hub-key' });
  assert.deepEqual(await hub.readSpace('cats.eth'), { kind: 'found', found: space });
  assert.deepEqual(await hub.readSpace('nameless.eth'), {
    kind: 'found',
    found: { id: 'nameless.eth', name: 'nameless.eth' },
  });
  const found = await hub.readProposal('0xabc');
  assert.deepEqual(found, {
    kind: 'found',
    found: {
      id: '0xabc',
      title: 'More fish',
      body: 'Please.',
      author: '0x1',
      choices: ['Yes'],
      startsAtSeconds: 2,
      endsAtSeconds: 3,
      link: undefined,
      isFlagged: false,
      space,
    },
  });
  const flagged = await hub.readProposal('0xdef');
  assert.ok(flagged.kind === 'found' && flagged.found.isFlagged && flagged.found.link === 'https://snapshot.org/x');
  // Quotes and braces stay in the variables and cannot become part of the query.
  for (const id of ['0x0', '") { id } }', '{']) assert.deepEqual(await hub.readProposal(id), { kind: 'missing' });
  assert.ok(emulator.requests.every(({ headers }) => headers['x-api-key'] === 'hub-key'));
});

test('a misbehaving hub leaves everything unknown, and neither its URL nor the key is in a reason', async (t) => {
  const emulator = await startEmulator(t, startSnapshotEmulator());
  emulator.state.spaces.push(space);
  const open = (timeoutMs: number) => createSnapshotHub({ ...emulator.options, timeoutMs, apiKey: 'hub-key' });
  const [hasty, patient] = [open(300), open(patientMs)];
  const faults: Parameters<typeof emulator.misbehave>[0][] = [
    { kind: 'status', status: 429, headers: { 'retry-after': '60' } },
    { kind: 'status', status: 503, headers: { 'retry-after': '0' } },
    { kind: 'status', status: 400, body: { errors: [{ message: 'Cannot query' }] } },
    { kind: 'hang' },
    { kind: 'cut' },
    { kind: 'malformed' },
    { kind: 'lie', change: () => ({ data: null }) },
    { kind: 'lie', change: () => ({ data: { space: { id: 7 } } }) },
    { kind: 'lie', change: () => ({ data: { space: [] } }) },
    { kind: 'lie', change: () => ({ errors: [{ message: 'x' }], data: { space: null } }) },
  ];
  for (const fault of faults) {
    emulator.misbehave(fault);
    const answer = await (fault.kind === 'hang' ? hasty : patient).readSpace('cats.eth');
    assert.equal(answer.kind, 'unknown', JSON.stringify(fault));
    assert.doesNotMatch(JSON.stringify(answer), /127\.0\.0\.1|hub-key/);
    emulator.behave();
  }
  emulator.misbehave({ kind: 'status', status: 429, headers: { 'retry-after': '0' } }, 1);
  assert.equal((await patient.readSpace('cats.eth')).kind, 'found');
});
