import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { removeRuleWithChoice } from '../../gating/community-rules/index.ts';
import { reconcileCommunityJob, writeWaiting } from '../../gating/role-changes/index.ts';
import { checkBackDoors } from '../back-doors/check.ts';
import { listBackDoors } from '../back-doors/operations.ts';
import { checkCommunitySetup } from '../setup/check-setup.ts';
import { getRoleInvites, turnOffRoleInvites, turnOnRoleInvites } from './operations.ts';
import { loseResponses, openServer, type Server, widen } from './testing.ts';

describe('role invites', () => {
  let d: DiscordPlatform;
  before(async () => {
    d = await discordPlatform('role-invites', { isQuick: true, hasOneClock: true });
    widen(d);
  });
  after(() => d.close());

  const reconcile = async ({ id, system }: Server) => {
    await enqueueReconcile(d.services.db.system, { communityId: id, members: '*', cause: 'schedule' });
    await reconcileCommunityJob(system(), id);
    await writeWaiting(system(), id, new AbortController().signal);
  };

  test('let a person who qualifies arrive with the role, and it counts as a grant like any other', async () => {
    const server = await openServer(d);
    const { holder, whale, own } = server;
    const ann = await server.addPerson();
    server.hold(ann, holder, '1');
    assert.equal((await server.get(ann)).state, 'none');
    const { state, url, invited, roles } = await server.create(ann);
    assert.deepEqual([state, invited], ['ready', [holder]]);
    assert.deepEqual(
      roles.map(({ name, state }) => `${name} ${state}`),
      ['Holder coming', 'Whale missing'],
    );
    const [invite] = own.invites.values();
    assert.deepEqual(
      [invite?.maxUses, invite?.maxAgeSeconds, invite?.roleIds, invite?.targetUserIds],
      [1, 1800, [holder], [ann.discordId]],
    );
    assert.equal((await server.create(ann)).url, url, 'asking again returns the same invite');
    const read = await server.get(ann);
    assert.deepEqual([read.state, read.url], ['ready', undefined], 'reading does not show it');
    const bob = await server.addPerson('bob');
    await assert.rejects(server.join(bob, url), /Unknown Invite/, 'another person cannot use it');
    assert.deepEqual(await server.join(ann, url), [holder]);
    assert.deepEqual(await server.ledger(ann), [{ role_id: holder, action: 'grant', cause: 'invite' }]);
    assert.deepEqual(await server.statesOf(ann), ['used']);
    assert.equal((await server.get(ann)).state, 'member');
    await reconcile(server);
    assert.equal((await server.ledger(ann)).length, 1, 'Discord and the ledger agree');
    server.hold(ann, holder, '0');
    server.hold(ann, whale, '1');
    await reconcile(server);
    assert.deepEqual([...(own.members.get(ann.discordId)?.roles ?? [])], [whale]);
    assert.deepEqual(
      (await server.ledger(ann)).map(({ action, role_id }) => `${action} ${role_id}`).toSorted(),
      [`grant ${holder}`, `grant ${whale}`, `revoke ${holder}`].toSorted(),
    );
  });

  test('of a deleted rule are revoked, and who arrived by one loses the role', async () => {
    const server = await openServer(d);
    const [ann, bob] = [await server.addPerson(), await server.addPerson('bob')];
    for (const person of [ann, bob]) server.hold(person, server.holder, '1');
    await server.join(ann, (await server.create(ann)).url);
    await server.create(bob);
    const ruleId = server.ruleIds.get(server.holder) ?? '';
    await removeRuleWithChoice(d.as(server.owner), { id: server.id, ruleId, roles: 'take' });
    await server.checkLater();
    assert.equal(server.own.invites.size, 0);
    assert.deepEqual(await server.statesOf(bob), ['ended: unqualified']);
    await reconcile(server);
    assert.deepEqual([...(server.own.members.get(ann.discordId)?.roles ?? [])], []);
  });

  test('are refused to those who do not qualify, are unknown, are in, or have no account on Discord', async () => {
    const server = await openServer(d);
    const ann = await server.addPerson();
    await assert.rejects(server.create(ann), { code: 'STATE_CONFLICT', message: /You do not qualify/ });
    server.hold(ann, server.holder, '1');
    d.t.holdings.fail('evm:1', 'The node is down.');
    await assert.rejects(server.create(ann), { code: 'UNAVAILABLE', message: /could not be checked/ });
    d.t.holdings.fail('evm:1', undefined);
    d.emulator.addMember(server.guildId, { id: ann.discordId });
    await assert.rejects(server.create(ann), { code: 'STATE_CONFLICT', message: /You are in Cats already/ });
    d.emulator.removeMember(server.guildId, ann.discordId);
    const elsewhere = { ...ann, actor: { ...ann.actor, userId: 'TGR#USER#5', platform: 'telegram' as const } };
    await assert.rejects(server.create(elsewhere), { code: 'STATE_CONFLICT', message: /Sign in with Discord/ });
    const off = await openServer(d, { isOff: true });
    await assert.rejects(off.create(ann), { code: 'ENTITY_NOT_FOUND' }, 'off by default, and strangers learn nothing');
    assert.equal(server.own.invites.size + off.own.invites.size, 0);
  });

  test('never give a role with moderator permissions, one above the bot, or one that needs approval', async () => {
    const server = await openServer(d);
    const { holder, whale, guildId, id } = server;
    const ann = await server.addPerson();
    server.hold(ann, holder, '1');
    server.hold(ann, whale, '1');
    d.emulator.setPermissions(guildId, holder, ['BAN_MEMBERS']);
    assert.deepEqual((await server.create(ann)).invited, [whale]);
    d.emulator.setPermissions(guildId, holder, []);
    await d.services.db.pool.query(
      `insert into role_approval_policies (community_id, role_id, holds_grants) values ($1, $2, true)`,
      [id, whale],
    );
    const after = await server.create(ann);
    assert.deepEqual(after.invited, [holder]);
    assert.deepEqual((await server.statesOf(ann)).toSorted(), ['ended: replaced', 'live']);
    assert.equal(server.own.invites.size, 1, 'never two at a time');
    d.emulator.moveRole(guildId, server.botRole, 1);
    d.emulator.moveRole(guildId, holder, 8);
    const bob = await server.addPerson('bob');
    server.hold(bob, holder, '1');
    await assert.rejects(server.create(bob), { code: 'STATE_CONFLICT' });
  });

  test('of one wallet go to one account', async () => {
    const server = await openServer(d);
    const [ann, bob] = [await server.addPerson(), await server.addPerson('bob')];
    await server.link(bob.userId, ann.account);
    server.hold(ann, server.holder, '1');
    await server.create(ann);
    await assert.rejects(server.create(bob), { code: 'STATE_CONFLICT', message: /Another account/ });
  });

  test('are turned on only where the bot has what it needs, and the answer names what is missing', async () => {
    const server = await openServer(d, { isOff: true });
    const { channelId, owner, id } = server;
    const ctx = d.as(owner);
    d.emulator.setOverwrite(
      channelId,
      { userId: d.emulator.application.bot.id },
      { allow: ['VIEW_CHANNEL'], deny: ['MANAGE_CHANNELS', 'CREATE_INSTANT_INVITE'] },
    );
    const { isOn, needs, link } = await getRoleInvites(ctx, { communityId: id, channelId });
    assert.equal(isOn, false);
    assert.equal(link, `http://latchkey.test/console/me/roles?server=${encodeURIComponent(id)}`);
    assert.deepEqual(
      needs.filter(({ isGiven }) => !isGiven).map(({ permission }) => permission),
      ['Create Invite', 'Manage Channel'],
    );
    assert.match(needs.at(-1)?.remedy ?? '', /open the settings of #general, choose Permissions, add the bot/);
    const on = () => turnOnRoleInvites(ctx, { communityId: id, body: { channelId } });
    await assert.rejects(on, { code: 'STATE_CONFLICT', message: /^The bot lacks Create Invite, Manage Channel\./ });
    await assert.rejects(turnOnRoleInvites(ctx, { communityId: id, body: { channelId: '123456789012345678' } }), {
      code: 'ENTITY_NOT_FOUND',
    });
    const allow = ['VIEW_CHANNEL', 'CREATE_INSTANT_INVITE', 'MANAGE_CHANNELS'] as const;
    d.emulator.setOverwrite(channelId, { userId: d.emulator.application.bot.id }, { allow });
    assert.equal((await on()).isOn, true);
    const checks = async () => (await checkCommunitySetup(ctx, { communityId: id })).checks;
    const ofInvites = async () => (await checks()).filter((check) => check.id.startsWith('role-invites'));
    assert.deepEqual(
      (await ofInvites()).map(({ title, state }) => `${title} ${state}`),
      ['Role invites ok'],
    );
    d.emulator.setOverwrite(channelId, { userId: d.emulator.application.bot.id }, { deny: ['CREATE_INSTANT_INVITE'] });
    const [problem] = await ofInvites();
    assert.deepEqual([problem?.title, problem?.state], ['Role invites: Create Invite', 'advised']);
  });

  test('are revoked when the holding goes, the wallet is unlinked or the setting is turned off, not when unknown', async () => {
    const server = await openServer(d);
    const { holder, own } = server;
    const [ann, bob, cat] = [await server.addPerson(), await server.addPerson('bob'), await server.addPerson('cat')];
    for (const person of [ann, bob, cat]) {
      server.hold(person, holder, '1');
      await server.create(person);
    }
    d.t.holdings.fail('evm:1', 'The node is down.');
    await server.checkLater();
    assert.equal(own.invites.size, 3, 'unknown is never false');
    d.t.holdings.fail('evm:1', undefined);
    server.hold(ann, holder, '0');
    await d.services.db.pool.query('delete from wallet_connections where user_id = $1', [bob.userId]);
    await server.checkLater();
    assert.deepEqual(
      [...own.invites.values()].map(({ targetUserIds }) => targetUserIds),
      [[cat.discordId]],
    );
    assert.deepEqual(await server.statesOf(ann), ['ended: unqualified']);
    const after = await turnOffRoleInvites(d.as(server.owner), { communityId: server.id });
    assert.equal(after.isOn, false);
    await server.check();
    assert.equal(own.invites.size, 0);
    assert.deepEqual(await server.statesOf(cat), ['ended: setting']);
  });

  test('expire by themselves, and are no longer offered shortly before', async () => {
    const server = await openServer(d);
    const ann = await server.addPerson();
    server.hold(ann, server.holder, '1');
    const { url } = await server.create(ann);
    d.t.advanceSeconds(26 * 60);
    const next = await server.create(ann);
    assert.notEqual(next.url, url);
    d.t.advanceSeconds(31 * 60);
    await server.check();
    assert.deepEqual(await server.statesOf(ann), ['ended: replaced', 'ended: expired']);
    assert.equal((await server.get(ann)).state, 'none');
  });

  test('are shown only once Discord lets nobody else use them', async () => {
    const server = await openServer(d);
    const [ann, bob] = [await server.addPerson(), await server.addPerson('bob')];
    for (const person of [ann, bob]) server.hold(person, server.holder, '1');
    d.emulator.holdTargetUsers('processing');
    const { state, url } = await server.create(ann);
    assert.deepEqual([state, url], ['preparing', undefined]);
    assert.equal((await server.get(ann)).state, 'preparing');
    d.emulator.holdTargetUsers(undefined);
    assert.equal((await server.get(ann)).state, 'ready');
    d.emulator.holdTargetUsers('failed');
    await assert.rejects(server.create(bob), { code: 'UNAVAILABLE' });
    d.emulator.holdTargetUsers(undefined);
    await server.check();
    assert.equal(server.own.invites.size, 1, 'one whose list failed is deleted');
  });

  test('that were used while nobody listened are recorded by the next check', async () => {
    const server = await openServer(d);
    const ann = await server.addPerson();
    server.hold(ann, server.holder, '1');
    await server.join(ann, (await server.create(ann)).url, { isReported: false });
    assert.deepEqual(await server.ledger(ann), []);
    await reconcile(server);
    await server.checkLater();
    assert.deepEqual(await server.ledger(ann), [{ role_id: server.holder, action: 'grant', cause: 'invite' }]);
    assert.deepEqual(await server.statesOf(ann), ['used: joined']);
  });

  test('that a member did not use are revoked once they came in another way, and nothing is recorded', async () => {
    const server = await openServer(d);
    const ann = await server.addPerson();
    server.hold(ann, server.holder, '1');
    await server.create(ann);
    const plain = d.emulator.createInvite(server.guildId, { maxUses: 1 });
    assert.deepEqual(await server.join(ann, plain.code), []);
    await server.check();
    assert.deepEqual(await server.statesOf(ann), ['ended: joined']);
    assert.deepEqual(await server.ledger(ann), []);
    assert.equal(server.own.invites.size, 0);
  });

  test('whose creation Discord did not confirm are found and deleted, and the person can try again', async () => {
    const server = await openServer(d);
    const ann = await server.addPerson();
    server.hold(ann, server.holder, '1');
    const end = loseResponses(d);
    await assert.rejects(server.create(ann), { code: 'UNAVAILABLE' });
    end();
    const [orphan] = server.own.invites.values();
    assert.ok(orphan);
    const { url } = await server.create(ann);
    const others = d.emulator.createInvite(server.guildId, { roleIds: [server.holder], maxUses: 1 });
    await server.check();
    assert.ok(!server.own.invites.has(orphan.code), 'nobody knows its code, so nobody may use it');
    assert.ok(server.own.invites.has(others.code), 'invites of others are not ours to delete');
    assert.ok(server.own.invites.has(url?.split('/').at(-1) ?? ''));
    assert.deepEqual((await server.statesOf(ann)).toSorted(), ['live', 'lost']);
    d.t.advanceSeconds(3600);
    await server.check();
    await server.check();
    assert.deepEqual((await server.statesOf(ann)).toSorted(), ['ended: expired', 'ended: lost']);
  });

  test('that Discord does not delete are tried again, and admins see why', async () => {
    const server = await openServer(d);
    const ann = await server.addPerson();
    server.hold(ann, server.holder, '1');
    await server.create(ann);
    server.hold(ann, server.holder, '0');
    const bot = d.emulator.application.bot.id;
    d.emulator.setOverwrite(server.channelId, { userId: bot }, { allow: ['VIEW_CHANNEL'], deny: ['MANAGE_CHANNELS'] });
    await server.checkLater();
    assert.deepEqual(await server.statesOf(ann), ['revoking: unqualified']);
    const { problems, open } = await getRoleInvites(d.as(server.owner), { communityId: server.id });
    assert.equal(open, 0);
    assert.match(problems.join(), /does not allow the bot to do this/);
    d.emulator.setOverwrite(server.channelId, { userId: bot }, { allow: ['VIEW_CHANNEL', 'MANAGE_CHANNELS'] });
    await server.checkLater();
    assert.deepEqual([server.own.invites.size, await server.statesOf(ann)], [0, ['ended: unqualified']]);
  });

  test('are no back doors, unlike an invite of another person with the same role', async () => {
    const server = await openServer(d);
    const { guildId, botRole, holder, id, owner } = server;
    const full = ['MANAGE_ROLES', 'VIEW_AUDIT_LOG', 'VIEW_CHANNEL', 'CREATE_INSTANT_INVITE'] as const;
    d.emulator.setPermissions(guildId, botRole, full);
    const ann = await server.addPerson();
    server.hold(ann, holder, '1');
    await server.create(ann);
    const other = d.emulator.createInvite(guildId, { roleIds: [holder], maxUses: 1 });
    await checkBackDoors(server.system(), id);
    const { backDoors: items } = await listBackDoors(d.as(owner), { communityId: id });
    assert.deepEqual(
      items.filter(({ kind }) => kind === 'invite').map(({ title }) => title),
      [`Invite ${other.code} to #general`],
    );
  });

  test('leave no code in plain columns or logs', async () => {
    const server = await openServer(d);
    const ann = await server.addPerson();
    server.hold(ann, server.holder, '1');
    const code = (await server.create(ann)).url?.split('/').at(-1) ?? '';
    assert.ok(code.length >= 8);
    const { rows } = await d.services.db.pool.query('select to_jsonb(i)::text as row from role_invites i');
    assert.ok(!JSON.stringify(rows).includes(code));
    assert.ok(!d.t.log.lines.join('\n').includes(code));
  });
});
