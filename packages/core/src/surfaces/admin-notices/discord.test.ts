import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  addGuild,
  type DiscordPlatform,
  discordPlatform,
  discordUser,
} from '../../communities/discord-guilds/testing.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import {
  approveChangeSet,
  getChangeSet,
  listChangeSets,
  reconcileCommunityJob,
  undoChangeSet,
  writeWaiting,
} from '../../gating/role-changes/index.ts';
import { MailFailed, PlatformFailed } from '../../ports/index.ts';
import { newReceiver } from '../../services/webhooks/testing.ts';
import { contextFor, type Services } from '../../shared/context.ts';
import { handleInteraction } from '../discord-interactions/index.ts';
import { checkSetup } from './check-setup.ts';
import { notifyNews } from './testing.ts';

describe('admins of a Discord server are notified', () => {
  let d: DiscordPlatform;
  let services: Services;
  before(async () => {
    d = await discordPlatform('admin-notices');
    services = d.services;
  });
  after(() => d.close());
  beforeEach(() => d.emulator.behave());

  const hiddenFromAll = { deny: ['VIEW_CHANNEL'] } as const;
  const system = () => contextFor(services, { kind: 'system', job: 'test' });

  /** A server with a config channel for the bot, visible only to admins and the bot by default. */
  async function open({ channel = true, isPublic = false }: { channel?: boolean; isPublic?: boolean } = {}) {
    const guild = await addGuild(d);
    const { id: channelId } = channel
      ? d.emulator.createChannel(guild.guildId, { name: 'latchkey-config' })
      : { id: undefined };
    if (channelId !== undefined && !isPublic) {
      d.emulator.setOverwrite(channelId, { roleId: guild.guildId }, hiddenFromAll);
      d.emulator.setOverwrite(
        channelId,
        { userId: d.emulator.application.bot.id },
        { allow: ['VIEW_CHANNEL', 'SEND_MESSAGES'] },
      );
    }
    const ownerId = guild.owner.userId.split('#').at(-1) ?? '';
    return { ...guild, channelId, ownerId };
  }

  /** Twelve members lose a role that they all have, so the removal needs an admin’s approval. */
  async function hold({ id, guildId, owner, holder }: Awaited<ReturnType<typeof open>>): Promise<string> {
    for (let n = 0; n < 12; n += 1) d.emulator.addMember(guildId, { name: `cat${n}`, roles: [holder] });
    const body = {
      name: 'Cat club',
      type: 'ERC20',
      chainId: 1,
      contractAddress: `0x${'1'.repeat(40)}`,
      roleId: holder,
    };
    await createRule(d.as(owner), { id, body });
    await enqueueReconcile(services.db.system, { communityId: id, members: '*', cause: 'schedule' });
    await reconcileCommunityJob(system(), id);
    const changeSet = (await listChangeSets(system(), id)).items.find(({ status }) => status === 'held');
    assert.ok(changeSet);
    return changeSet.id;
  }

  const messagesIn = (channelId: string | undefined) => d.emulator.sentMessages(channelId ?? 'none');
  let interactions = 70_000;
  async function press(guildId: string | undefined, userId: string, customId: string): Promise<string> {
    interactions += 1;
    const person = { id: userId, username: 'ada' };
    const response = await handleInteraction(services, {
      id: String(interactions),
      application_id: d.emulator.application.id,
      token: 'a-token',
      type: 3,
      data: { custom_id: customId },
      ...(guildId === undefined ? { user: person } : { guild_id: guildId, member: { user: person } }),
    });
    return JSON.stringify(response.data);
  }

  test('of a held change set in the config channel, once, with names, reasons and buttons; then of the decision', async () => {
    const guild = await open();
    const changeSetId = await hold(guild);
    await notifyNews(services);
    await notifyNews(services);
    const [message, ...more] = messagesIn(guild.channelId);
    assert.deepEqual(more, []);
    assert.match(message?.content ?? '', /^A role change in Cats needs your approval: 12 members lose Holder\./);
    assert.match(message?.content ?? '', /12 of 12 members with the role Holder would lose it within 24 hours/);
    assert.match(
      message?.content ?? '',
      /• cat\d+ loses Holder\. The rule "Cat club" needs at least 1 ERC20 0x1111…1111/,
    );
    const buttons = JSON.stringify(message?.components);
    for (const word of ['show', 'approve', 'reject'])
      assert.ok(buttons.includes(`latchkey:${word}:${changeSetId}`), word);
    assert.match(await press(guild.guildId, guild.ownerId, `latchkey:approve:${changeSetId}`), /Approve 12 removals\?/);
    assert.match(
      await press(guild.guildId, guild.ownerId, `latchkey:approve:${changeSetId}:12`),
      /Approved: 12 removals/,
    );
    await notifyNews(services);
    const [changed] = messagesIn(guild.channelId);
    assert.match(changed?.content ?? '', /^Role change in Cats: 12 members lose Holder\. Approved by Cats owner\.\n/);
    const changeSet = `/console/communities/${encodeURIComponent(guild.id)}/role-changes/${changeSetId}`;
    assert.ok(changed?.content.endsWith(`\nOpen in the console: ${services.settings.baseUrl}${changeSet}`));
    assert.ok(!JSON.stringify(changed?.components).includes('latchkey:approve'));
  });

  test('in a channel that every member can read, no member and no reason is named', async () => {
    const guild = await open({ isPublic: true });
    await hold(guild);
    await notifyNews(services);
    const [message] = messagesIn(guild.channelId);
    assert.match(
      message?.content ?? '',
      /^A role change in Cats needs your approval: 12 members lose Holder\.\nOpen in the console: \S+$/,
    );
  });

  test('privately where there is no such channel, and they can decide there', async () => {
    const guild = await open({ channel: false });
    const changeSetId = await hold(guild);
    await notifyNews(services);
    const [message] = d.emulator.directMessages(guild.ownerId);
    assert.match(message?.content ?? '', /needs your approval/);
    const stranger = d.emulator.createUser('eve').id;
    assert.match(await press(undefined, stranger, `latchkey:reject:${changeSetId}`), /"Role changes not found\."/);
    assert.match(await press(undefined, guild.ownerId, `latchkey:reject:${changeSetId}`), /Rejected/);
    await notifyNews(services);
    assert.match(d.emulator.directMessages(guild.ownerId)[0]?.content ?? '', /Rejected by/);
  });

  test('of a blocked role, and of its recovery only once it stays unblocked', async () => {
    const guild = await open();
    const stop = (advice: string) =>
      services.db.pool.query(
        `insert into role_circuit_breakers (community_id, role_id, advice, since) values ($1, $2, $3, $4)`,
        [guild.id, guild.whale, advice, services.clock()],
      );
    const free = () => services.db.pool.query('delete from role_circuit_breakers where community_id = $1', [guild.id]);
    const contents = () => messagesIn(guild.channelId).map(({ content }) => content);
    const page = `${services.settings.baseUrl}/console/communities/${encodeURIComponent(guild.id)}`;
    const blocked = `The role Whale in Cats cannot be changed. Move the role. Other roles are not affected.\nOpen in the console: ${page}`;
    await services.db.pool.query(
      `insert into role_circuit_breakers (community_id, role_id, user_id, advice, since) values ($1, '*', 'DIS#USER#1', 'An owner.', $2)`,
      [guild.id, services.clock()],
    );
    await notifyNews(services);
    assert.deepEqual(contents(), [], 'one member the bot cannot change blocks no role');
    await stop('Move the role.');
    await notifyNews(services);
    assert.deepEqual(contents(), [blocked]);
    await free();
    await notifyNews(services);
    await stop('Move the role.');
    d.t.advanceSeconds(3_600);
    await notifyNews(services);
    assert.deepEqual(contents(), [blocked], 'it was retried and refused again');
    await free();
    await notifyNews(services);
    d.t.advanceSeconds(601);
    await notifyNews(services);
    assert.deepEqual(contents(), ['Fixed: The role Whale in Cats can be changed again.']);
    await stop('Move the role.');
    await notifyNews(services);
    assert.equal(contents().length, 2, 'it is blocked again, so admins are notified again');
  });

  test('of a large change that needs no approval, with a button that undoes it', async () => {
    const guild = await open();
    for (let n = 0; n < 11; n += 1) d.emulator.addMember(guild.guildId, { name: `dog${n}` });
    const body = {
      type: 'ERC20',
      chainId: 1,
      contractAddress: `0x${'2'.repeat(40)}`,
      minToken: '0',
      roleId: guild.whale,
    };
    await createRule(d.as(guild.owner), { id: guild.id, body });
    const members = [...d.emulator.getGuild(guild.guildId).members.values()].filter(({ user }) => !user.isBot);
    await services.db.pool.query(
      `insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
       select 'w' || u, u, 'discord', 'evm', '0x' || lpad(n::text, 40, '0'), $2
       from unnest($1::text[]) with ordinality as m (u, n)`,
      [members.map(({ user }) => `DIS#USER#${user.id}`), services.clock()],
    );
    for (let n = 1; n <= members.length; n += 1) {
      const account = `0x${String(n).padStart(40, '0')}`;
      d.t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: body.contractAddress, account }, '1');
    }
    await enqueueReconcile(services.db.system, { communityId: guild.id, members: '*', cause: 'rule' });
    await reconcileCommunityJob(system(), guild.id);
    await notifyNews(services);
    assert.deepEqual(messagesIn(guild.channelId), [], 'nothing is written yet');
    await writeWaiting(system(), guild.id, new AbortController().signal);
    await notifyNews(services);
    const [message] = messagesIn(guild.channelId);
    assert.match(message?.content ?? '', /^A role change in Cats is large: 12 members get Whale\./);
    const [, changeSetId = ''] = /latchkey:undo:(\w+)/.exec(JSON.stringify(message?.components)) ?? [];
    await undoChangeSet(d.as(guild.owner), changeSetId);
    await notifyNews(services);
    assert.match(messagesIn(guild.channelId)[0]?.content ?? '', /12 members get Whale\. It was undone\.\n/);
  });

  test('of a broken setup, once per problem, and of its repair', async () => {
    const guild = await open();
    const body = { type: 'ERC20', chainId: 1, contractAddress: `0x${'3'.repeat(40)}`, roleId: guild.whale };
    await createRule(d.as(guild.owner), { id: guild.id, body });
    const look = async () => {
      await checkSetup(system(), guild.id);
      await notifyNews(services);
      return messagesIn(guild.channelId).map(({ content }) => content);
    };
    assert.deepEqual(await look(), [], 'a permission that the bot does not use is not reported');
    const role = botRole(guild.guildId);
    d.emulator.setPermissions(guild.guildId, role, ['VIEW_CHANNEL', 'SEND_MESSAGES']);
    const notified = await look();
    assert.equal(notified.length, 1);
    assert.match(
      notified[0] ?? '',
      /^The bot’s setup in Cats needs fixing\.\n• Give the bot the permission Manage Roles\.\nOpen in the console: \S+$/,
    );
    assert.deepEqual(await look(), notified);
    d.emulator.setPermissions(guild.guildId, role, ['MANAGE_ROLES', 'VIEW_CHANNEL', 'SEND_MESSAGES']);
    assert.deepEqual(await look(), ['Fixed: the bot can work in Cats again.']);
  });
  const botRole = (guildId: string) => {
    const { roles, members } = d.emulator.getGuild(guildId);
    const bot = members.get(d.emulator.application.bot.id);
    return [...(bot?.roles ?? [])].find((id) => roles.get(id)?.managed) ?? '';
  };

  test('later, when Discord is down; one failing server holds up no other, and nothing is sent twice', async () => {
    const [failing, other] = [await open(), await open()];
    for (const guild of [failing, other]) await hold(guild);
    let isDown = true;
    const discord = {
      ...services.discord,
      readChannels: async (guildId: string) => {
        if (isDown && guildId === failing.guildId)
          throw new PlatformFailed('unavailable', 'Discord does not answer.', 5);
        return services.discord?.readChannels(guildId);
      },
    } as Services['discord'];
    await notifyNews({ ...services, discord });
    assert.deepEqual([messagesIn(failing.channelId).length, messagesIn(other.channelId).length], [0, 1]);
    isDown = false;
    await services.db.pool.query(`update jobs set run_at = now(), state = 'ready' where name = 'admin-notices.tell'`);
    await notifyNews({ ...services, discord });
    assert.deepEqual([messagesIn(failing.channelId).length, messagesIn(other.channelId).length], [1, 1]);
  });

  test('in Discord even while mail is down, and the message is not repeated with the mail', async () => {
    const guild = await open();
    await hold(guild);
    const now = services.clock();
    const mailbox = { created_by_id: guild.owner.userId, name: 'Cats', email: 'later@example.org', plan_id: 'free' };
    await services.db.system
      .insertInto('organizations')
      .values({ id: 'org-later', ...mailbox, created_at: now, code_requested_at: now, verified_at: now })
      .execute();
    const mailer = { send: () => Promise.reject(new MailFailed('The mail server is out.', { retryable: true })) };
    await notifyNews({ ...services, mailer });
    await services.db.pool.query(`update jobs set run_at = now(), state = 'ready' where name = 'admin-notices.tell'`);
    await notifyNews(services);
    assert.equal(messagesIn(guild.channelId).length, 1);
    assert.equal(d.t.mails.filter(({ to }) => to === 'later@example.org').length, 1);
  });

  test('without duplicates after a crash between sending and recording', async () => {
    const guild = await open();
    await hold(guild);
    await notifyNews(services);
    const { rows } = await services.db.pool.query(
      `delete from admin_notice_messages m using admin_notices n
       where n.id = m.notice_id and n.community_id = $1 returning n.id`,
      [guild.id],
    );
    await services.db.pool.query(
      `insert into jobs (name, group_id, payload, run_at, state)
       values ('admin-notices.tell', '', jsonb_build_object('noticeId', $1::text), now(), 'ready')`,
      [rows[0]?.id],
    );
    await notifyNews(services);
    assert.equal(messagesIn(guild.channelId).length, 1);
  });

  test('except of what was decided before they could be notified', async () => {
    const guild = await open();
    const changeSetId = await hold(guild);
    const outage = {
      ...services.discord,
      readChannels: () => Promise.reject(new PlatformFailed('unavailable', 'no', 5)),
    } as Services['discord'];
    await notifyNews({ ...services, discord: outage });
    await approveChangeSet(d.as(guild.owner), changeSetId);
    assert.equal((await getChangeSet(system(), changeSetId)).changeSet.decided_by, guild.owner.userId);
    await notifyNews(services);
    await services.db.pool.query(`update jobs set run_at = now(), state = 'ready' where name = 'admin-notices.tell'`);
    await notifyNews(services);
    assert.deepEqual(messagesIn(guild.channelId), []);
  });

  test('by webhook to the owner’s applications, of blocked roles and decisions, and by mail to owners', async () => {
    const guild = await open();
    const changeSetId = await hold(guild);
    const now = services.clock();
    await newReceiver(d.t, ['change-set.decided', 'role.blocked'], guild.owner);
    await services.db.system
      .insertInto('organizations')
      .values({
        id: 'org-cats',
        created_by_id: guild.owner.userId,
        name: 'Cats',
        email: 'cats@example.org',
        plan_id: 'free',
        created_at: now,
        code_requested_at: now,
        verified_at: now,
      })
      .execute();
    await services.db.pool.query(
      `insert into role_circuit_breakers (community_id, role_id, advice, since) values ($1, '*', 'Give the bot Manage Roles.', $2)`,
      [guild.id, now],
    );
    await notifyNews(services);
    await approveChangeSet(d.as(discordUser(guild.ownerId)), changeSetId);
    await notifyNews(services);
    const { rows } = await services.db.pool.query(
      `select type, body::jsonb -> 'data' as data from events where owner_id = $1 order by type`,
      [guild.owner.userId],
    );
    assert.deepEqual(rows, [
      {
        type: 'change-set.decided',
        data: { communityId: guild.id, changeSetId, status: 'approved', decidedBy: guild.owner.userId },
      },
      { type: 'role.blocked', data: { communityId: guild.id, roleId: '*', advice: 'Give the bot Manage Roles.' } },
    ]);
    const mails = d.t.mails.filter(({ to }) => to === 'cats@example.org');
    assert.deepEqual(mails.map(({ subject }) => subject).toSorted(), [
      'Latchkey: A role change in Cats needs your approval: 12 members lose Holder.',
      'Latchkey: Roles in Cats cannot be changed.',
    ]);
    assert.ok(!mails.some(({ text }) => /cat\d/.test(text)), 'no member is named in a mail');
  });
});
