import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { shownText } from '@latchkey/emulators/discord';
import type { AppError } from '@latchkey/kernel';
import { verifyInteraction } from '@latchkey/platforms';
import { addGuild, type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { createGuestPass } from '../../communities/guest-passes/index.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import { previewChangeSet } from '../../gating/role-changes/index.ts';
import { verifyAeToken } from '../../identity/credentials/index.ts';
import { openConnectLink } from '../../linking/connect-links/index.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { contextFor, type Services } from '../../shared/context.ts';
import { answerInteraction } from './answer-later.ts';
import { discordCommands, handleInteraction, serveInteraction, takeDiscordEvent } from './index.ts';

describe('the bot in Discord', () => {
  let d: DiscordPlatform;
  let services: Services;
  let server: Server;
  let isByGateway = false;
  before(async () => {
    d = await discordPlatform('interactions');
    // The emulator signs with the real time.
    services = { ...d.services, clock: () => new Date() };
    await ensureSigningKeys(services);
    const { publicKey } = d.emulator.application;
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const header = (name: string) => request.headers[name]?.toString();
      const rawBody = Buffer.concat(chunks);
      if (isByGateway) {
        await takeDiscordEvent(services, { kind: 'interaction', interaction: JSON.parse(rawBody.toString()) });
        response.writeHead(202).end();
        return;
      }
      const answered = serveInteraction(services, (signed) => verifyInteraction(publicKey, signed, services.clock()), {
        signature: header('x-signature-ed25519'),
        timestamp: header('x-signature-timestamp'),
        rawBody,
      });
      const { status, body } = await answered.then(
        (body) => ({ status: 200, body }),
        (error: AppError) => ({ status: error.status, body: { error: error.message } }),
      );
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await d.emulator.setInteractionsUrl(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/discord/interactions`,
    );
    await services.discord?.setCommands(discordCommands);
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await d.close();
  });

  async function open() {
    const guild = await addGuild(d);
    const channelId = [...d.emulator.getGuild(guild.guildId).channels.keys()][0] ?? '';
    const member = d.emulator.addMember(guild.guildId, { name: 'ada' }).user.id;
    const type = async (userId: string, command: string, options?: Record<string, string>) => {
      const pressed = await d.emulator.press({ userId, channelId, command, ...(options && { options }) });
      return { pressed, text: shownText(pressed.message() ?? {}), message: pressed.message() };
    };
    const ownerId = guild.owner.userId.split('#').at(-1) ?? '';
    return { ...guild, channelId, member, type, ownerId };
  }

  /** Runs the pending reply jobs, as the worker would. */
  async function work(): Promise<void> {
    const jobs = await services.db.system
      .deleteFrom('jobs')
      .where('name', '=', answerInteraction.name)
      .returning(['id', 'payload'])
      .execute();
    const ctx = contextFor(services, { kind: 'system', job: answerInteraction.name });
    for (const { id, payload } of jobs)
      await answerInteraction.run(ctx, payload as Parameters<typeof answerInteraction.run>[1], {
        id: String(id),
        attempt: 1,
        signal: new AbortController().signal,
      });
  }

  test('join replies with a link that only the member sees, and that identifies the member to the page', async () => {
    const { member, type, id } = await open();
    const guildId = id.split('#').at(-1) ?? '';
    await takeDiscordEvent(services, {
      kind: 'member-joined',
      guildId,
      userId: member,
      userName: 'Member',
      roleIds: [],
      isBot: false,
    });
    const { message, pressed } = await type(member, 'latchkey join');
    assert.equal((pressed.answer.data as { flags?: number }).flags, 64 | 32_768);
    const link = JSON.stringify(message?.components).match(/"url":"([^"]+)"/)?.[1] ?? '';
    const slug = /^https?:\/\/[^/]+\/connect\/(\w+)$/.exec(link)?.[1] ?? '';
    const page = await openConnectLink(contextFor(services, { kind: 'anonymous' }), slug);
    assert.ok(page !== undefined);
    assert.equal(page.community?.id, id);
    const actor = await verifyAeToken(services, page.token);
    assert.equal(actor.kind === 'user' && actor.userId, `DIS#USER#${member}`);
    for (const secret of [page.token, slug]) assert.ok(!d.t.log.lines.join().includes(secret));
  });

  test('answers in the language of the member, and posts for everyone in that of the server', async () => {
    const { member, channelId, ownerId, owner, id, holder } = await open();
    const rule = { name: 'Cat club', type: 'ERC721', chainId: 1, contractAddress: `0x${'1'.repeat(40)}` };
    await createRule(d.as(owner), { id, body: { ...rule, roleId: holder, minToken: '2000' } });
    const say = (userId: string, command: string, locale: string) =>
      d.emulator.press({ userId, channelId, command, locale, guildLocale: 'pt-BR' });
    assert.match(shownText((await say(member, 'latchkey join', 'es-419')).message() ?? {}), /^Conecta una billetera/);
    assert.match(shownText((await say(member, 'latchkey setup', 'tr')).message() ?? {}), /yalnızca bu topluluğun/);
    assert.match(
      shownText((await say(ownerId, 'latchkey setup', 'de')).message() ?? {}),
      /^Alguns cargos deste servidor/,
    );
    const roles = await say(member, 'latchkey roles', 'de');
    await work();
    const text = shownText(roles.message() ?? {});
    assert.match(text, /^Du hast keine verknüpfte Wallet\. Mit \/latchkey join/);
    assert.match(text, /Die Regel „Cat club“ verlangt mindestens 2\.000 ERC721 0x1111…1111 auf Ethereum\./);
    const unknown = await say(member, 'latchkey roles', 'sv-SE');
    await work();
    assert.match(shownText(unknown.message() ?? {}), /^You have no linked wallet/);
  });

  test('an admin posts the join button, and every member can press it', async () => {
    const { member, type, ownerId, channelId } = await open();
    assert.match((await type(member, 'latchkey setup')).text, /Only admins of this community/);
    const { message } = await type(ownerId, 'latchkey setup');
    const where = { userId: member, channelId, customId: 'latchkey:join' };
    const pressed = await d.emulator.press({ ...where, messageId: message?.id ?? '' });
    assert.match(shownText(pressed.message() ?? {}), /Connect a wallet/);
    // As earlier versions posted it.
    const button = { type: 2, style: 1, label: 'Let’s go', custom_id: 'latchkey:join' };
    const components = [{ type: 1, components: [button] }];
    const old = await services.discord?.sendMessage(channelId, { content: 'Welcome', components });
    const again = await d.emulator.press({ ...where, messageId: old?.id ?? '' });
    assert.match(shownText(again.message() ?? {}), /Connect a wallet/);
  });

  test('roles shows what a member has and lacks, and why', async () => {
    const { member, type, owner, id, holder } = await open();
    const contractAddress = `0x${'1'.repeat(40)}`;
    const rule = { name: 'Cat club', type: 'ERC721', chainId: 1, contractAddress, roleId: holder, minToken: '2' };
    await createRule(d.as(owner), { id, body: rule });
    const { pressed } = await type(member, 'latchkey roles');
    assert.equal(pressed.answer.type, 5);
    await work();
    const text = shownText(pressed.message() ?? {});
    assert.match(text, /You have no linked wallet\. Use \/latchkey join/);
    assert.match(text, /• Holder: not held\. The rule "Cat club" needs at least 2 ERC721 0x1111…1111 on Ethereum\./);
    const checked = await type(member, 'latchkey check');
    await work();
    assert.match(shownText(checked.pressed.message() ?? {}), /up to date/);
  });

  test('an admin asks why a member has or lacks a role; members cannot ask about each other', async () => {
    const { member, type, owner, ownerId, id, holder } = await open();
    const body = { type: 'ERC20', chainId: 1, contractAddress: `0x${'2'.repeat(40)}`, roleId: holder };
    await createRule(d.as(owner), { id, body });
    const { pressed } = await type(ownerId, 'latchkey why', { user: member });
    await work();
    assert.match(
      shownText(pressed.message() ?? {}),
      /^ada has no linked wallet\.\n• Holder: not held\. A rule needs at least 1 /,
    );
    assert.match((await type(member, 'latchkey why', { user: ownerId })).text, /Only admins/);
  });

  test('an admin sees change sets and approves them after a confirmation; others cannot', async () => {
    const { member, type, ownerId, owner, id, channelId } = await open();
    assert.match((await type(ownerId, 'latchkey changes')).text, /No roles have been changed/);
    const changeSet = await previewChangeSet(contextFor(services, owner), id, '*');
    const { text, message } = await type(ownerId, 'latchkey changes');
    assert.ok(text.includes(changeSet.id) && text.includes('preview'));
    assert.ok(JSON.stringify(message?.components).includes(`latchkey:approve:${changeSet.id}`));
    for (const command of ['changes', 'show', 'approve', 'reject', 'undo'])
      assert.match(
        (await type(member, `latchkey ${command}`, command === 'changes' ? undefined : { id: changeSet.id })).text,
        /Only admins/,
      );
    const elsewhere = await open();
    for (const command of ['show', 'approve', 'reject', 'undo'])
      assert.match(
        (await elsewhere.type(elsewhere.ownerId, `latchkey ${command}`, { id: changeSet.id })).text,
        /^Role changes not found/,
      );
    const requested = await type(ownerId, 'latchkey approve', { id: changeSet.id });
    assert.match(requested.text, /^Approve no changes\?/);
    const customId = /latchkey:approve:[^"]+/.exec(JSON.stringify(requested.message?.components))?.[0] ?? '';
    const pressed = await d.emulator.press({
      userId: ownerId,
      channelId,
      messageId: requested.message?.id ?? '',
      customId,
    });
    assert.match(shownText(pressed.message() ?? {}), /^Approved/);
    assert.match((await type(ownerId, 'latchkey reject', { id: changeSet.id })).text, /already approved or rejected/);
  });

  test('an admin gives a member a guest pass by its name', async () => {
    const { member, type, ownerId, owner, guildId, id, whale } = await open();
    await createGuestPass(contextFor(services, owner), {
      guildId,
      body: { name: 'Speaker', roleSet: [{ id: whale }] },
    });
    assert.match(
      (await type(ownerId, 'latchkey guest', { user: member, pass: 'Nobody' })).text,
      /Available passes: Speaker/,
    );
    assert.match((await type(ownerId, 'latchkey guest', { user: member, pass: 'Speaker' })).text, /is a guest/);
    const grants = await services.db.system
      .selectFrom('guest_pass_grants')
      .select('user_id')
      .where('community_id', '=', id)
      .execute();
    assert.deepEqual(grants, [{ user_id: `DIS#USER#${member}` }]);
  });

  test('kudos without options opens a form in the language of the member, and the form gives them', async () => {
    const { member, channelId, guildId } = await open();
    const bob = d.emulator.addMember(guildId, { name: 'bob' }).user.id;
    const where = { userId: member, channelId, locale: 'de' };
    const { answer } = await d.emulator.press({
      ...where,
      command: 'latchkey kudos',
      options: { text: 'For the fish' },
    });
    assert.equal(answer.type, 9);
    const { title, components } = answer.data as { title: string; components: { label: string }[] };
    assert.deepEqual(
      [title, components.map(({ label }) => label)],
      ['Einem Mitglied danken', ['Wem du dankst', 'Wofür', 'In deinen eigenen Worten']],
    );
    const send = (fields: Record<string, string>) => d.emulator.press({ ...where, modal: 'latchkey:kudos', fields });
    const thanked = await send({ user: bob, type: 'creative' });
    assert.match(shownText(thanked.message() ?? {}), new RegExp(`<@${bob}>.*\\(creative\\).*For the fish$`));
    assert.equal((thanked.message()?.flags ?? 0) & 64, 0, 'everyone in the channel sees it');
    assert.match(shownText((await send({ user: member, type: 'creative' })).message() ?? {}), /yourself/);
  });

  test('guest passes are chosen from a list, and only admins see and send that form', async () => {
    const { member, ownerId, owner, guildId, whale, type, channelId } = await open();
    assert.match((await type(ownerId, 'latchkey guest')).text, /has no guest passes/);
    const body = { name: 'Speaker', roleSet: [{ id: whale }] };
    const pass = await createGuestPass(contextFor(services, owner), { guildId, body });
    assert.match((await type(member, 'latchkey guest')).text, /Only admins/);
    const { pressed } = await type(ownerId, 'latchkey guest', { user: member });
    const choices = JSON.stringify(pressed.answer.data).match(/"options":\[[^\]]*\]/)?.[0];
    assert.equal(choices, `"options":[{"label":"Speaker","value":"${pass.id}"}]`);
    const modal = { modal: 'latchkey:guest', channelId, fields: { pass: String(pass.id) } };
    assert.match(shownText((await d.emulator.press({ ...modal, userId: ownerId })).message() ?? {}), /is a guest/);
    const label = (component: object) => ({ type: 18, component });
    const forged = await handleInteraction(services, {
      id: '123456789012345679',
      application_id: d.emulator.application.id,
      token: 'a-token',
      type: 5,
      guild_id: guildId,
      member: { user: { id: member, username: 'ada' } },
      data: {
        custom_id: 'latchkey:guest',
        components: [
          label({ type: 5, custom_id: 'user', values: [member] }),
          label({ type: 3, custom_id: 'pass', values: [String(pass.id)] }),
        ],
      },
    });
    assert.match(JSON.stringify(forged), /Only admins/);
  });

  test('an admin finds a member to ask about, and one of many rules, by a form', async () => {
    const { member, ownerId, owner, id, holder, whale, type, channelId } = await open();
    await type(ownerId, 'latchkey why');
    const why = await d.emulator.press({
      userId: ownerId,
      channelId,
      modal: 'latchkey:why',
      fields: { user: member },
    });
    assert.equal(why.answer.type, 5);
    await work();
    assert.match(shownText(why.message() ?? {}), /no rules/i);
    assert.doesNotMatch(
      JSON.stringify((await type(ownerId, 'latchkey health')).message),
      /find_rule/,
      'nothing to find',
    );
    for (const [name, roleId] of [
      ['Cat club', holder],
      ['Dog club', whale],
    ] as const)
      await createRule(d.as(owner), {
        id,
        body: { name, type: 'ERC20', chainId: 1, contractAddress: `0x${'3'.repeat(40)}`, roleId },
      });
    const listed = await type(ownerId, 'latchkey health');
    assert.match(listed.text, /Cat club[\s\S]*Dog club/);
    const search = { userId: ownerId, channelId, messageId: listed.message?.id ?? '', customId: 'latchkey:find_rule' };
    const find = async (words: string) => {
      assert.equal((await d.emulator.press(search)).answer.type, 9);
      const found = await d.emulator.press({ ...search, modal: 'latchkey:find_rule', fields: { words } });
      return shownText(found.message() ?? {});
    };
    assert.match(await find('dog'), /^• Dog club \(Whale\)/);
    assert.doesNotMatch(await find('whale'), /Cat club/);
    assert.match(await find('bird'), /^No rule matches “bird”/);
  });

  test('interactions of the gateway get the same answers, as requests to Discord', async () => {
    const { member, ownerId, owner, id, guildId, holder, type, channelId } = await open();
    await createRule(d.as(owner), {
      id,
      body: { name: 'Cat club', type: 'ERC20', chainId: 1, contractAddress: `0x${'4'.repeat(40)}`, roleId: holder },
    });
    await createGuestPass(contextFor(services, owner), { guildId, body: { name: 'Guest', roleSet: [{ id: holder }] } });
    await previewChangeSet(contextFor(services, owner), id, '*');
    isByGateway = true;
    try {
      for (const [userId, command, answer] of [
        [member, 'join', 4],
        [member, 'roles', 5],
        [member, 'kudos', 9],
        [member, 'apps', 4],
        [ownerId, 'setup', 4],
        [ownerId, 'health', 4],
        [ownerId, 'changes', 4],
        [ownerId, 'why', 9],
        [ownerId, 'guest', 9],
        [member, 'guest', 4],
      ] as const)
        assert.equal((await type(userId, `latchkey ${command}`)).pressed.answer.type, answer, command);
      const fields = { user: ownerId, type: 'thanks', text: 'For all' };
      const thanked = await d.emulator.press({ userId: member, channelId, modal: 'latchkey:kudos', fields });
      assert.match(shownText(thanked.message() ?? {}), /For all$/);
    } finally {
      isByGateway = false;
    }
    await work();
  });

  test('replayed and forged interactions are refused', async () => {
    const { member, guildId } = await open();
    const copy = {
      id: '123456789012345678',
      application_id: d.emulator.application.id,
      token: 'a-token',
      type: 2,
      guild_id: guildId,
      member: { user: { id: member, username: 'ada' } },
      data: { name: 'latchkey', options: [{ type: 1, name: 'join' }] },
    };
    assert.equal((await handleInteraction(services, copy)).type, 4);
    await assert.rejects(handleInteraction(services, copy), { code: 'INVALID_CREDENTIAL' });
    const request = { signature: 'x', timestamp: '1', rawBody: Buffer.from(JSON.stringify(copy)) };
    await assert.rejects(
      serveInteraction(services, () => false, request),
      { code: 'INVALID_CREDENTIAL' },
    );
    await assert.rejects(
      serveInteraction(services, () => true, request),
      { code: 'INVALID_CREDENTIAL' },
    );
    const broken = { ...request, rawBody: Buffer.from('{') };
    await assert.rejects(
      serveInteraction(services, () => true, broken),
      { code: 'INVALID_BODY' },
    );
  });

  test('unexpected or unknown input gets a helpful reply', async () => {
    const base = { application_id: '1', token: 't', type: 2, user: { id: '1' }, data: { name: 'latchkey' } };
    const messageOf = async (body: unknown) => JSON.stringify(await handleInteraction(services, body));
    for (const body of [null, [], 'x', { type: 9 }, { type: 2 }])
      await assert.rejects(handleInteraction(services, body), { code: 'VALIDATION_FAILED' });
    assert.match(await messageOf({ ...base, id: '1', type: 9 }), /can’t do this here/);
    assert.match(await messageOf({ ...base, id: '11' }), /Use this in a server/);
    assert.match(await messageOf({ ...base, id: '12', guild_id: '999999999999999999' }), /not set up yet/);
    const { guildId } = await open();
    assert.match(await messageOf({ ...base, id: '13', guild_id: guildId, data: { name: 'other' } }), /Unknown command/);
    assert.match(
      await messageOf({
        ...base,
        id: '14',
        guild_id: guildId,
        data: { name: 'latchkey', options: [{ type: 1, name: 'toString' }] },
      }),
      /Unknown command/,
    );
  });

  test('gateway events are processed: members, messages, and a bot that was removed and added', async () => {
    const { guildId, id, member } = await open();
    const news = { guildId, userId: member };
    const role = '100000000000000001';
    await takeDiscordEvent(services, {
      kind: 'member-joined',
      ...news,
      userName: 'ada',
      roleIds: [role],
      isBot: false,
    });
    await takeDiscordEvent(services, { kind: 'message', ...news });
    const row = () =>
      services.db.system.selectFrom('community_members').selectAll().where('community_id', '=', id).executeTakeFirst();
    assert.deepEqual((await row())?.role_ids, [role]);
    assert.ok((await row())?.last_active_at);
    await takeDiscordEvent(services, { kind: 'member-left', ...news });
    assert.ok((await row())?.left_at);
    const status = async () =>
      (await services.db.system.selectFrom('communities').select('status').where('id', '=', id).executeTakeFirst())
        ?.status;
    await takeDiscordEvent(services, { kind: 'guild-left', guildId });
    assert.equal(await status(), 'kicked');
    await takeDiscordEvent(services, { kind: 'guild-joined', guildId, name: 'Cats', ownerId: member });
    assert.equal(await status(), 'active');
    await takeDiscordEvent(services, { kind: 'member-left', guildId: '999999999999999999', userId: member });
  });

  test('an event that is processed late changes no roles that were seen since, and is no change by hand', async () => {
    const { guildId, id, member } = await open();
    const { system } = services.db;
    const seconds = (n: number) => new Date(services.clock().getTime() + n * 1_000);
    const [early, late] = ['100000000000000001', '100000000000000002'];
    const person = { guildId, userId: member, userName: 'ada', isBot: false };
    const told = (kind: 'member-joined' | 'member-updated', roleIds: string[], receivedAt: Date, joinedAt?: Date) =>
      takeDiscordEvent(services, { kind, ...person, roleIds, ...(joinedAt && { joinedAt }) }, undefined, receivedAt);
    const row = () =>
      system.selectFrom('community_members').selectAll().where('community_id', '=', id).executeTakeFirst();
    await told('member-joined', [], seconds(0), seconds(0));
    await told('member-updated', [early, late], seconds(20), seconds(0));

    await told('member-updated', [early], seconds(10), seconds(0));
    assert.deepEqual((await row())?.role_ids, [early, late], 'it was received before');
    await told('member-joined', [], seconds(30), seconds(0));
    assert.deepEqual((await row())?.role_ids, [early, late], 'the join was sent again');
    assert.equal((await system.selectFrom('manual_role_changes').selectAll().execute()).length, 0);

    await takeDiscordEvent(services, { kind: 'member-left', guildId, userId: member }, undefined, seconds(40));
    await told('member-joined', [], seconds(50), seconds(50));
    assert.deepEqual((await row())?.role_ids, [], 'they joined again');
    assert.equal((await row())?.left_at, null);
  });

  test('a new gateway session re-checks every member whose events may be missing, at most every ten minutes', async () => {
    const { guildId, id, member } = await open();
    const { db, clock } = services;
    const join = () => takeDiscordEvent(services, { kind: 'guild-joined', guildId, name: 'Cats', ownerId: member });
    const affected = async () => {
      const columns = ['user_id', 'cause', 'due_at'] as const;
      const rows = await db.system
        .selectFrom('reconcile_queue')
        .select(columns)
        .where('community_id', '=', id)
        .execute();
      return rows.map(({ user_id, cause, due_at }) => {
        const minutes = ((due_at?.getTime() ?? Number.NaN) - clock().getTime()) / 60_000;
        return `${user_id} ${cause} within ${Math.floor(minutes) + 1} min`;
      });
    };
    const list = async (minutesAgo: number) => {
      await db.system.deleteFrom('reconcile_queue').where('community_id', '=', id).execute();
      const listed_at = new Date(clock().getTime() - minutesAgo * 60_000);
      const row = { community_id: id, listed_at, listed: 1, is_complete: true, reason: null };
      await db.system.deleteFrom('member_lists').where('community_id', '=', id).execute();
      await db.system.insertInto('member_lists').values(row).execute();
    };
    await list(15);
    await join();
    await join();
    assert.deepEqual(await affected(), ['* schedule within 1 min']);
    await list(4);
    await join();
    assert.deepEqual(await affected(), ['* schedule within 7 min']);
    await list(15);
    await db.system.updateTable('communities').set({ disable_background_checks: true }).where('id', '=', id).execute();
    await join();
    assert.deepEqual(await affected(), [], 'no member is checked in the background');
    await takeDiscordEvent(services, {
      kind: 'guild-joined',
      guildId: '999999999999999998',
      name: 'X',
      ownerId: member,
    });
  });
});
