import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeskFailed } from '@latchkey/core/ports';
import { startFreshdeskEmulator } from '@latchkey/emulators/freshdesk';
import { patientMs } from '@latchkey/emulators/testing';
import { startEmulator } from '../testing/start-emulator.ts';
import { createFreshdesk } from './index.ts';

const ticket = { subject: 'Help', description: '<b>Help</b>', email: 'ada@example.org', status: 2, priority: 1 };
const failed = (kind: DeskFailed['kind']) => (error: unknown) =>
  error instanceof DeskFailed && error.kind === kind && !/127\.0\.0\.1|secret-key/.test(error.message);

test('a ticket is created with all fields, and found by each filter', async (t) => {
  const emulator = await startEmulator(t, startFreshdeskEmulator({ apiKey: 'secret-key' }));
  const desk = createFreshdesk({ ...emulator.options, apiKey: 'secret-key' });
  const first = await desk.create({ ...ticket, tags: ['a'], cc_emails: ['x@example.org'], custom_fields: { cf: 1 } });
  await desk.create({ ...ticket, email: 'bob@example.org', priority: 4, status: 5 });
  const [sent] = emulator.requests;
  assert.equal(sent?.headers.authorization, `Basic ${Buffer.from('secret-key:X').toString('base64')}`);
  assert.deepEqual(Object(sent?.body).tags, ['a']);
  const idsOf = async (query: Parameters<typeof desk.list>[0]) => (await desk.list(query)).map(({ id }) => id);
  assert.deepEqual(await idsOf({}), [2, 1]);
  assert.deepEqual(await idsOf({ orderBy: 'status', orderType: 'asc' }), [1, 2]);
  assert.deepEqual(await idsOf({ email: 'ada@example.org' }), [first.id]);
  assert.deepEqual(await idsOf({ requesterId: 5001 }), [2]);
  assert.deepEqual(await idsOf({ filter: 'new_and_my_open' }), [1]);
  assert.deepEqual(await idsOf({ filter: 'deleted' }), []);
  assert.deepEqual(await idsOf({ companyId: 3 }), []);
  assert.deepEqual(await idsOf({ updatedSince: '2999-01-01T00:00:00Z' }), []);
  const [shown] = await desk.list({ include: 'requester,description', email: 'ada@example.org' });
  assert.equal(shown?.description, '<b>Help</b>');
  assert.equal(Object(shown?.requester).email, 'ada@example.org');
});

test('every page is read, and a short Retry-After is honored', async (t) => {
  const emulator = await startEmulator(t, startFreshdeskEmulator());
  const desk = createFreshdesk({ ...emulator.options, apiKey: 'freshdesk-key' });
  await desk.create(ticket);
  const [made] = emulator.state.tickets;
  assert.ok(made);
  for (let id = 2; id <= 230; id += 1) emulator.state.tickets.push({ ...made, id });
  emulator.misbehave({ kind: 'status', status: 429, headers: { 'retry-after': '0' } }, 1);
  assert.equal((await desk.list({})).length, 230);
  assert.deepEqual(
    emulator.requests.slice(-3).map(({ query }) => [query.get('page'), query.get('per_page')]),
    [
      ['1', '100'],
      ['2', '100'],
      ['3', '100'],
    ],
  );
});

test('a rejected ticket returns the desk’s error; a wrong key is reported as a configuration problem', async (t) => {
  const emulator = await startEmulator(t, startFreshdeskEmulator());
  const desk = createFreshdesk({ ...emulator.options, apiKey: 'freshdesk-key' });
  await assert.rejects(desk.create({ ...ticket, email: 'nobody' }), (error: Error) =>
    /email: It should be/.test(error.message),
  );
  await assert.rejects(desk.create({ ...ticket, requester_id: 1 }), failed('refused'));
  await assert.rejects(desk.list({ orderBy: 'colour' }), failed('refused'));
  await assert.rejects(createFreshdesk({ ...emulator.options, apiKey: 'secret-key' }).list({}), failed('unavailable'));
});

test('a misbehaving desk is unavailable, and a ticket is never sent twice', async (t) => {
  const emulator = await startEmulator(t, startFreshdeskEmulator());
  const open = (timeoutMs: number) => createFreshdesk({ ...emulator.options, timeoutMs, apiKey: 'freshdesk-key' });
  const [hasty, patient] = [open(300), open(patientMs)];
  const faults: Parameters<typeof emulator.misbehave>[0][] = [
    { kind: 'status', status: 503 },
    { kind: 'status', status: 429, headers: { 'retry-after': '120' } },
    { kind: 'hang' },
    { kind: 'cut' },
    { kind: 'malformed' },
    { kind: 'lie', change: () => ({ subject: 'no number' }) },
  ];
  for (const fault of faults) {
    const desk = fault.kind === 'hang' ? hasty : patient;
    emulator.misbehave(fault);
    const before = emulator.requests.length;
    await assert.rejects(desk.create(ticket), failed('unavailable'), JSON.stringify(fault));
    const sent = emulator.requests.length - before;
    // A busy machine may exceed the short timeout before the ticket is sent.
    assert.ok(sent === 1 || (desk === hasty && sent === 0), JSON.stringify(fault));
    await assert.rejects(desk.list({}), failed('unavailable'));
    emulator.behave();
  }
  emulator.misbehave({ kind: 'status', status: 429, headers: { 'retry-after': '120' } }, 1);
  await assert.rejects(patient.list({}), (error: unknown) => (error as DeskFailed).retryAfterSeconds === 120);
});
