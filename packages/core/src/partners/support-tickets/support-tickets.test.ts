import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startWorker } from '@latchkey/db';
import { type FreshdeskEmulator, startFreshdeskEmulator } from '@latchkey/emulators/freshdesk';
import { createFreshdesk } from '@latchkey/integrations/freshdesk';
import type { Actor } from '@latchkey/kernel';
import { newCommunity } from '../../communities/community/testing.ts';
import { type DeskQuery, MailFailed } from '../../ports/index.ts';
import { contextFor, type Services } from '../../shared/context.ts';
import { mallory, operator, patienceMs, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createTicket } from './create.ts';
import { decideTicket, type TicketDecision } from './decide.ts';
import { mailTicket } from './jobs.ts';
import { listTickets } from './list.ts';
import type { PostTicket } from './ticket.ts';

const refused = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

describe('support tickets', () => {
  let t: TestPlatform;
  let desk: FreshdeskEmulator;
  let own: Services;
  let outside: Services;
  before(async () => {
    t = await testPlatform('support-tickets');
    desk = await startFreshdeskEmulator({ nowMs: () => t.services.clock().getTime() });
    const settings = { ...t.services.settings, partners: { supportEmail: 'operator@example.org' } };
    own = { ...t.services, settings };
    outside = {
      ...own,
      helpdesk: createFreshdesk({ fetch, url: desk.url, apiKey: 'freshdesk-key', timeoutMs: 120_000 }),
    };
  });
  after(async () => {
    await desk.stop();
    await t.close();
  });

  const post = (services: Services, actor: Actor, communityId: string, more: Partial<PostTicket> = {}) =>
    createTicket(contextFor(services, actor), {
      body: { subject: 'Help', description: '<p>My fish is gone.</p>', email: 'Ada@example.org', communityId, ...more },
    });
  const list = async (services: Services, actor: Actor, query: DeskQuery = {}) =>
    (await listTickets(contextFor(services, actor), query)).data ?? [];
  const ids = async (services: Services, actor: Actor, query: DeskQuery = {}) =>
    (await list(services, actor, query)).map(({ id }) => id);
  async function deliver(services = own): Promise<void> {
    const worker = startWorker({
      db: services.db,
      patienceMs,
      kinds: [mailTicket],
      log: services.log,
      random: services.random,
      makeContext: () => contextFor(services, { kind: 'system', job: 'test' }),
      validate: () => undefined,
    });
    await worker.idle();
    await worker.stop(1_000);
  }

  test('without a help desk a ticket is stored here, shown to its requester, and mailed to the operator once', async () => {
    const { owner, id } = await newCommunity(t);
    const { data, status } = await post(own, owner, id, { tags: ['fish'], priority: 4, subject: 'Help\r\nBcc: x' });
    assert.equal(status, 201);
    assert.equal(data?.description_text, 'My fish is gone.');
    await deliver();
    await deliver();
    const mails = t.mails.filter(({ to }) => to === 'operator@example.org');
    assert.equal(mails.length, 1);
    assert.equal(mails[0]?.subject, `[Latchkey #${data?.id}] Help Bcc: x`);
    assert.match(mails[0]?.text ?? '', new RegExp(`ada@example\\.org asks.*${id}.*My fish is gone`, 's'));
    const [shown] = await list(own, owner);
    assert.deepEqual([shown?.id, shown?.tags, shown?.status, shown?.priority], [data?.id, ['fish'], 2, 4]);
    assert.equal(shown?.description, undefined);
  });

  test('the list filters behave as at Freshdesk', async () => {
    const { owner, id } = await newCommunity(t);
    const make = async (more: Partial<PostTicket>) => (await post(own, owner, id, more)).data?.id ?? 0;
    const decide = (ticket: number, decision: TicketDecision) =>
      decideTicket(contextFor(own, operator), { id: ticket, decision });
    const first = await make({ email: 'one@example.org' });
    t.advanceSeconds(60);
    const second = await make({ email: 'two@example.org', priority: 4, responder_id: 7 });
    t.advanceSeconds(60);
    const third = await make({ email: 'one@example.org', status: 3 });
    const mine = (query: DeskQuery = {}) => ids(own, owner, query);
    assert.deepEqual(await mine(), [third, second, first]);
    assert.deepEqual(await mine({ orderType: 'asc' }), [first, second, third]);
    assert.deepEqual(await mine({ orderBy: 'due_by', orderType: 'asc' }), [second, first, third]);
    assert.deepEqual(await mine({ orderBy: 'status' }), [third, second, first]);
    assert.deepEqual(await mine({ email: 'ONE@example.org' }), [third, first]);
    const [{ requester_id: requesterId = 0 } = {}] = await list(own, owner, { email: 'two@example.org' });
    assert.deepEqual(await mine({ requesterId }), [second]);
    assert.deepEqual(await mine({ filter: 'new_and_my_open' }), [first]);
    assert.deepEqual(await mine({ filter: 'watching' }), []);
    assert.deepEqual(await mine({ companyId: 1 }), []);
    await decide(first, 'spam');
    await decide(second, 'delete');
    await decide(third, 'close');
    assert.deepEqual(await mine(), [third]);
    assert.deepEqual(await mine({ filter: 'spam' }), [first]);
    assert.deepEqual(await mine({ filter: 'deleted' }), [second]);
    await decide(first, 'open');
    const [shown] = await list(own, owner, { include: 'requester,stats,company,description', orderBy: 'updated_at' });
    assert.ok(shown?.description && shown.requester?.email === 'one@example.org' && shown.stats);
    assert.deepEqual(shown.company, { name: id });
    const closed = (await list(own, owner, { include: 'stats' })).find((ticket) => ticket.id === third);
    assert.ok(closed?.stats?.closed_at);
    t.advanceSeconds(31 * 86_400);
    assert.deepEqual(await mine(), []);
    assert.deepEqual(await mine({ updatedSince: '2020-01-01T00:00:00Z' }), [third, first]);
    await assert.rejects(list(own, owner, { updatedSince: 'yesterday' }), refused('INVALID_PARAMETER_VALUE'));
  });

  test('Freshdesk gets the whole ticket, and the list shows the caller only what is theirs', async () => {
    const [one, two] = [await newCommunity(t), await newCommunity(t)];
    const { data } = await post(outside, one.owner, one.id, { requester_id: 5000, cc_emails: ['x@example.org'] });
    const sent = Object(desk.requests.at(-1)?.body);
    assert.deepEqual([sent.requester_id, sent.cc_emails, sent.communityId], [undefined, ['x@example.org'], undefined]);
    assert.match(sent.description, new RegExp(`My fish is gone.*${one.id}`));
    const other = await post(outside, two.owner, two.id);
    const second = await post(outside, one.owner, one.id, { email: 'other@example.org', status: 3 });
    assert.deepEqual(await ids(outside, one.owner), [second.data?.id, data?.id]);
    assert.deepEqual(await ids(outside, one.owner, { orderType: 'asc' }), [data?.id, second.data?.id]);
    assert.deepEqual(await ids(outside, one.owner, { email: 'other@example.org' }), [second.data?.id]);
    assert.deepEqual(await ids(outside, two.owner), [other.data?.id], 'the same address, but another user');
    const before = desk.requests.length;
    assert.deepEqual(await ids(outside, mallory, { email: 'ada@example.org' }), []);
    assert.equal(desk.requests.length, before, 'a user without a ticket is not looked up');
    assert.deepEqual(await ids(outside, operator), [second.data?.id, other.data?.id, data?.id]);
    desk.state.companies.push({ id: 7, name: 'Fish and Sons' });
    for (const ticket of desk.state.tickets) if (ticket.id === second.data?.id) ticket.company_id = 7;
    const [shown, without] = await list(outside, one.owner, { include: 'stats,requester,company' });
    assert.ok(shown?.requester?.email);
    assert.deepEqual([shown.company, without?.company], [{ id: 7, name: 'Fish and Sons' }, undefined]);
    assert.ok(!JSON.stringify(shown).includes('null'));
  });

  test('strangers can neither open a ticket about a community nor see or resolve tickets', async () => {
    const { owner, id } = await newCommunity(t);
    const { data } = await post(own, owner, id);
    for (const services of [own, outside])
      await assert.rejects(post(services, mallory, id), refused('ENTITY_NOT_FOUND'));
    assert.ok(!(await ids(own, mallory, { email: 'ada@example.org' })).includes(data?.id));
    const close = { id: data?.id ?? 0, decision: 'close' as const };
    await assert.rejects(decideTicket(contextFor(own, owner), close), refused('ROLE_NOT_ALLOWED'));
    await assert.rejects(
      decideTicket(contextFor(own, operator), { ...close, id: 999_999 }),
      refused('ENTITY_NOT_FOUND'),
    );
  });

  test('each user may open twenty tickets a day, also concurrently', async () => {
    const { owner, id } = await newCommunity(t);
    const results = await Promise.allSettled(Array.from({ length: 24 }, () => post(own, owner, id)));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 20);
    await assert.rejects(post(outside, owner, id), refused('RATE_LIMITED'));
    t.advanceSeconds(86_401);
    await post(own, owner, id);
  });

  test('a desk that is down or refuses is reported, and nothing is stored', async () => {
    const { owner, id } = await newCommunity(t);
    const before = desk.state.tickets.length;
    for (const fault of [{ kind: 'cut' }, { kind: 'status', status: 503 }] as const) {
      desk.misbehave(fault);
      await assert.rejects(post(outside, owner, id), refused('UNAVAILABLE'));
      await assert.rejects(ids(outside, operator), refused('UNAVAILABLE'));
      desk.behave();
    }
    await assert.rejects(post(outside, owner, id, { email: 'nobody@nowhere' }), refused('VALIDATION_FAILED'));
    assert.equal(desk.state.tickets.length, before);
    assert.deepEqual(await ids(outside, owner), []);
  });

  test('a mail server that is down is retried, and a failed transaction leaves neither ticket nor mail', async () => {
    const { owner, id } = await newCommunity(t);
    const { db } = own;
    const dying: Services['db'] = {
      ...db,
      transaction: (tenant, run) =>
        db.transaction(tenant, async (tx) => {
          const result = await run(tx);
          if (tenant === 'system') throw new Error('killed');
          return result;
        }),
    };
    await deliver();
    const mailsBefore = t.mails.length;
    await assert.rejects(post({ ...own, db: dying }, owner, id), /killed/);
    await deliver();
    assert.deepEqual([(await ids(own, owner)).length, t.mails.length], [0, mailsBefore]);
    const { data } = await post(own, owner, id);
    const run = { id: '1', attempt: 1, signal: new AbortController().signal };
    const failing = (retryable: boolean) =>
      mailTicket.run(
        {
          ...contextFor(own, { kind: 'system', job: 'test' }),
          mailer: {
            send: async () => {
              throw new MailFailed('The mail server does not answer.', { retryable });
            },
          },
        },
        { ticketId: data?.id ?? 0 },
        run,
      );
    await assert.rejects(failing(true), /does not answer/);
    await failing(false);
    await deliver();
    assert.equal(t.mails.length, mailsBefore + 1);
    assert.ok(!t.log.lines.some((line) => line.includes('ada@example.org')));
  });
});
