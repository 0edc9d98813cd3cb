import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { grantApplicationAccess } from '../../communities/access/operations.ts';
import { addMembers, newCommunity, newUser, type TestUser } from '../../communities/community/testing.ts';
import { createRule, replaceRule } from '../../gating/community-rules/change-rules.ts';
import { removeRule } from '../../gating/community-rules/index.ts';
import { createDevelopmentApp } from '../../identity/client-apps/index.ts';
import { saveLink, unlinkAllWallets } from '../../linking/wallet-links/index.ts';
import { putEndpoint } from '../../services/webhooks/index.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { listCommunityEvents, replayEvents, streamCommunityEvents } from './operations.ts';

describe('the events of a community', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('community-events');
  });
  after(() => t.close());

  const rule = { type: 'ERC20', chainId: 1, contractAddress: `0x${'a'.repeat(40)}`, minToken: '1', roleId: 'gold' };
  const unchanged = async () => undefined;

  async function withRule() {
    const { owner, id } = await newCommunity(t);
    const { id: ruleId = '' } = await createRule(t.as(owner), { id, body: rule });
    return { owner, id, ruleId };
  }
  async function newApp(owner: TestUser, { hasWebhook = true } = {}) {
    const app = await createDevelopmentApp(t.as(operator), {
      userId: owner.userId,
      name: 'Reader',
      scopes: ['community:read'],
    });
    const clientId = app.id ?? '';
    const url = `https://${clientId.toLowerCase()}.example/hook`;
    const ctx = t.as(owner);
    if (hasWebhook)
      await ctx.tx((tx) => putEndpoint(ctx, tx, { clientId, ownerId: owner.userId, url, subscribeEvents: [] }));
    const client = { id: clientId, name: 'Reader', allowedScopes: ['community:read'], disallowedScopes: [] };
    const actor: Actor = { kind: 'client', credential: 'api-key', client };
    return { clientId, actor };
  }
  const list = async (user: Actor, communityId: string, filter: object = {}) =>
    (await listCommunityEvents(t.as(user), { communityId, ...filter })).items;
  const sentTo = (clientId: string) =>
    t.services.db.system
      .selectFrom('webhook_deliveries')
      .select(['event_id', 'round', 'status'])
      .where('client_id', '=', clientId)
      .execute();

  it('tell of rules, by whom, and of linked wallets, without their addresses', async () => {
    const { owner, id, ruleId } = await withRule();
    await replaceRule(t.as(owner), { id, tpcId: ruleId, body: { ...rule, minToken: '2' } });
    await replaceRule(t.as(owner), { id, tpcId: ruleId, body: { ...rule, minToken: '2' } });
    await removeRule(t.as(owner), { id, tpcId: ruleId });
    const member = newUser();
    await addMembers(t, id, [{ userId: member.userId }]);
    const address = `0x${'12'.repeat(20)}`;
    await saveLink(t.as(member), { namespace: 'evm', address, contractChain: null }, unchanged);
    await saveLink(t.as(member), { namespace: 'evm', address, contractChain: null }, unchanged);
    await unlinkAllWallets(t.as(member), unchanged);
    const events = await list(owner, id);
    assert.deepEqual(events.map(({ type }) => type).reverse(), [
      'rule.created',
      'rule.changed',
      'rule.removed',
      'member.wallet-linked',
      'member.wallet-unlinked',
    ]);
    const about = { communityId: id, ruleId, roleId: 'gold', changedBy: owner.userId };
    assert.deepEqual(events.at(-1)?.data, about);
    assert.deepEqual(events[0]?.data, { communityId: id, userId: member.userId });
    assert.ok(!JSON.stringify(events).includes(address));
    assert.equal((await list(owner, id, { userId: member.userId })).length, 2);
    assert.equal((await list(owner, id, { type: 'rule.removed' })).length, 1);
  });

  it('are read page by page, each once, also while new ones come', async () => {
    const { owner, id } = await withRule();
    for (let rest = 4; rest > 0; rest -= 1)
      await createRule(t.as(owner), { id, body: { ...rule, minToken: String(rest + 1) } });
    const first = await listCommunityEvents(t.as(owner), { communityId: id, limit: 2 });
    await createRule(t.as(owner), { id, body: { ...rule, minToken: '9' } });
    const second = await listCommunityEvents(t.as(owner), {
      communityId: id,
      limit: 100,
      paginationToken: first.paginationToken ?? '',
    });
    assert.deepEqual(
      [...first.items, ...second.items].map(({ position }) => position),
      ['5', '4', '3', '2', '1'],
    );
  });

  it('are streamed from a position on, and after a restored backup from the oldest', async () => {
    const { owner, id } = await withRule();
    const read = async (after: string | undefined) => {
      const feed = await streamCommunityEvents(t.as(owner), { communityId: id, ...(after !== undefined && { after }) });
      const { events, next } = await feed.read(feed.start);
      return [events.map(({ id: place, event }) => `${place} ${event.type}`), next];
    };
    assert.deepEqual(await read('0'), [['1 rule.created'], '1']);
    assert.deepEqual(await read(undefined), [[], '1']);
    assert.deepEqual(await read('99'), [['0 events.removed', '1 rule.created'], '1']);
  });

  it('are sent to a webhook again, also those from before it existed, with their ids', async () => {
    const { owner, id } = await withRule();
    const { clientId } = await newApp(owner);
    const [event] = await list(owner, id);
    const since = new Date(t.services.clock().getTime() - 60_000).toISOString();
    const replay = (body: object) => replayEvents(t.as(owner), { id: clientId, body: { communityId: id, ...body } });
    assert.deepEqual(await replay({ since }), { sent: 1, lastPosition: '1', hasMore: false });
    assert.deepEqual(await sentTo(clientId), [{ event_id: event?.id, round: 1, status: 'pending' }]);
    assert.deepEqual(await replay({ eventId: event?.id }), { sent: 1, lastPosition: '1', hasMore: false });
    assert.deepEqual(await sentTo(clientId), [{ event_id: event?.id, round: 2, status: 'pending' }]);
    assert.deepEqual(await replay({ since, until: since }), { sent: 0, lastPosition: '0', hasMore: false });
    assert.deepEqual(await replay({ since, after: '1' }), { sent: 0, lastPosition: '1', hasMore: false });
  });

  it('are not replayed to others, without a webhook, or without saying which', async () => {
    const { owner, id } = await withRule();
    const { clientId } = await newApp(owner);
    const stranger = newUser();
    const theirs = await newApp(stranger);
    const silent = await newApp(owner, { hasWebhook: false });
    const replay = (by: TestUser, clientApp: string, body: object = {}) =>
      replayEvents(t.as(by), { id: clientApp, body: { communityId: id, since: '2020-01-01T00:00:00Z', ...body } });
    await assert.rejects(replay(stranger, theirs.clientId), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(replay(owner, theirs.clientId), { code: 'STATE_CONFLICT' });
    await assert.rejects(replay(owner, silent.clientId), { code: 'STATE_CONFLICT' });
    await assert.rejects(replay(owner, clientId, { eventId: 'msg_unknown' }), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(replay(owner, clientId, { since: undefined }), { code: 'VALIDATION_FAILED' });
    await assert.rejects(replay(owner, clientId, { until: 'soon' }), { code: 'VALIDATION_FAILED' });
    assert.deepEqual(await sentTo(clientId), []);
  });

  it('are read by applications with access', async () => {
    const { owner, id } = await withRule();
    const { clientId, actor } = await newApp(newUser());
    await grantApplicationAccess(t.as(owner), { communityId: id, clientId });
    assert.deepEqual(
      (await list(actor, id)).map(({ type }) => type),
      ['rule.created'],
    );
  });
});
