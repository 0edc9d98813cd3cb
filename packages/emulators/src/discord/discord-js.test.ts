import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import {
  ActionRowBuilder,
  type APIExtendedInvite,
  ButtonBuilder,
  ButtonStyle,
  Client,
  type ClientEvents,
  ContainerBuilder,
  DiscordAPIError,
  Events,
  GatewayIntentBits,
  InviteTargetUsersJobStatus,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  REST,
  type RESTGetAPIInviteTargetUsersJobStatusResult,
  type RESTPostAPIChannelInviteJSONBody,
  type RESTPostAPIChannelInviteResult,
  Routes,
  SectionBuilder,
  SeparatorBuilder,
  SlashCommandBuilder,
  TextDisplayBuilder,
  TextInputBuilder,
  TextInputStyle,
  UserSelectMenuBuilder,
} from 'discord.js';
import type { DiscordEmulator } from './start.ts';
import { shownText } from './state/messages.ts';
import { emulatorFor, eventually } from './testing.ts';

/** Logs in with the third-party client that the emulator is tested against, used in the common way. */
async function loggedIn(t: TestContext, emulator: DiscordEmulator): Promise<Client<true>> {
  const client = new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMembers,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.MessageContent,
      GatewayIntentBits.GuildInvites,
      GatewayIntentBits.GuildIntegrations,
    ],
    rest: { api: emulator.url },
  });
  t.after(() => client.destroy());
  const ready = once(client, Events.ClientReady);
  await client.login(emulator.application.token);
  await ready;
  assert.ok(client.isReady());
  return client;
}

async function received<Name extends keyof ClientEvents>(client: Client, name: Name, cause: () => unknown) {
  const event = new Promise<ClientEvents[Name]>((resolve) => {
    client.once(name, (...args: ClientEvents[Name]) => resolve(args));
  });
  await cause();
  return event;
}

test('discord.js logs in, receives its guilds and fetches members and roles', async (t) => {
  const emulator = await emulatorFor(t);
  const { id } = emulator.createGuild({ name: 'Cat Club' });
  const holder = emulator.createRole(id, { name: 'Holder' });
  for (let index = 0; index < 1500; index += 1) emulator.addMember(id, { name: `cat${index}`, roles: [holder.id] });
  const client = await loggedIn(t, emulator);

  assert.equal(client.user.id, emulator.application.id);
  const guild = client.guilds.cache.get(id);
  assert.ok(guild);
  assert.equal(guild.name, 'Cat Club');
  assert.equal(guild.memberCount, 1502);
  assert.deepEqual([...guild.roles.cache.values()].map(({ name }) => name).sort(), ['@everyone', 'Holder', 'Latchkey']);
  assert.equal(guild.members.me?.permissions.has('ManageRoles'), true);
  assert.equal(guild.members.me?.permissions.has('Administrator'), false);

  const members = await guild.members.fetch();
  assert.equal(members.size, 1502);
  assert.equal(members.filter((member) => member.roles.cache.has(holder.id)).size, 1500);
  const paged = await guild.members.list({ limit: 1000 });
  assert.equal(paged.size, 1000);
  const rest = await guild.members.list({ limit: 1000, after: paged.lastKey() ?? '' });
  assert.equal(rest.size, 502);
  const found = await guild.members.search({ query: 'CAT77', limit: 20 });
  assert.deepEqual([...found.values()].map(({ user }) => user.username).sort(), [
    'cat77',
    ...Array.from({ length: 10 }, (_, index) => `cat77${index}`),
  ]);
  assert.equal((await guild.fetch()).approximateMemberCount, 1502);
});

test('discord.js adds and removes roles, and receives every change', async (t) => {
  const emulator = await emulatorFor(t);
  const { id } = emulator.createGuild({ name: 'Cat Club' });
  const [gold, silver] = [emulator.createRole(id, { name: 'Gold' }), emulator.createRole(id, { name: 'Silver' })];
  const client = await loggedIn(t, emulator);
  const guild = await client.guilds.fetch(id);

  const [joined] = await received(client, Events.GuildMemberAdd, () => emulator.addMember(id, { name: 'ann' }));
  assert.equal(joined.user.username, 'ann');
  const [, given] = await received(client, Events.GuildMemberUpdate, () => joined.roles.add(gold.id, 'holds a cat'));
  assert.deepEqual([...given.roles.cache.keys()].sort(), [gold.id, id].sort());
  await received(client, Events.GuildMemberUpdate, () => joined.edit({ roles: [silver.id] }));
  assert.deepEqual([...(emulator.getGuild(id).members.get(joined.id)?.roles ?? [])], [silver.id]);
  await received(client, Events.GuildMemberUpdate, () => joined.roles.remove(silver.id));
  assert.equal(emulator.getGuild(id).members.get(joined.id)?.roles.size, 0);
  assert.equal(emulator.getGuild(id).audit[0]?.reason, 'holds a cat');

  const [made] = await received(client, Events.GuildRoleCreate, () => guild.roles.create({ name: 'Bronze' }));
  assert.equal(made.name, 'Bronze');
  await made.setName('Copper');
  await made.setPosition(2);
  assert.equal(emulator.getGuild(id).roles.get(made.id)?.position, 2);
  await received(client, Events.GuildRoleDelete, () => made.delete());

  const [left] = await received(client, Events.GuildMemberRemove, () => joined.kick('sold the cat'));
  assert.equal(left.id, joined.id);
  assert.ok(!emulator.getGuild(id).members.has(joined.id));
  await assert.rejects(guild.members.fetch(joined.id), { code: 10007 });
});

test('discord.js is refused a role above its own, with Discord’s message', async (t) => {
  const emulator = await emulatorFor(t);
  const { id } = emulator.createGuild({ name: 'Cat Club' });
  const high = emulator.createRole(id, { name: 'High', position: 9 });
  const ann = emulator.addMember(id, { name: 'ann' });
  const client = await loggedIn(t, emulator);
  const guild = await client.guilds.fetch(id);
  const member = await guild.members.fetch(ann.user.id);
  await assert.rejects(member.roles.add(high.id), (error) => {
    assert.ok(error instanceof DiscordAPIError);
    assert.deepEqual(
      [error.status, error.code, error.rawError],
      [403, 50013, { message: 'Missing Permissions', code: 50013 }],
    );
    return true;
  });
  await received(client, Events.GuildRoleUpdate, () => emulator.moveRole(id, high.id, 1));
  await member.roles.add(high.id);
  assert.ok(ann.roles.has(high.id));
});

test('discord.js sends, edits and deletes messages, and reads what people write', async (t) => {
  const emulator = await emulatorFor(t);
  const { id, channels } = emulator.createGuild({ name: 'Cat Club' });
  const [channelId = ''] = channels.keys();
  const ann = emulator.addMember(id, { name: 'ann' });
  const client = await loggedIn(t, emulator);
  const channel = await client.channels.fetch(channelId);
  assert.ok(channel?.isSendable());

  const row = new ActionRowBuilder<ButtonBuilder>().addComponents(
    new ButtonBuilder().setCustomId('join').setLabel("Let's go").setStyle(ButtonStyle.Primary),
  );
  const sent = await channel.send({ content: 'Welcome', components: [row], embeds: [{ title: 'Rules' }] });
  assert.equal(emulator.sentMessages(channelId)[0]?.content, 'Welcome');
  await sent.edit('Welcome back');
  assert.equal(emulator.sentMessages(channelId)[0]?.content, 'Welcome back');
  const [spoken] = await received(client, Events.MessageCreate, () => emulator.speak(ann.user.id, channelId, 'hello'));
  assert.deepEqual([spoken.content, spoken.author.username, spoken.guildId], ['hello', 'ann', id]);
  assert.deepEqual(
    [...(await channel.messages.fetch()).values()].map(({ content }) => content),
    ['hello', 'Welcome back'],
  );
  await sent.delete();
  assert.ok(!emulator.getGuild(id).channels.get(channelId)?.messages.has(sent.id));
  const once = { content: 'Only once', nonce: 'one', enforceNonce: true };
  assert.equal((await channel.send(once)).id, (await channel.send(once)).id);
  assert.notEqual(
    (await channel.send({ ...once, nonce: 'two' })).id,
    (await channel.send({ ...once, nonce: 'three' })).id,
  );

  const user = await client.users.fetch(ann.user.id);
  await user.send('a word in private');
  assert.equal(emulator.directMessages(ann.user.id)[0]?.content, 'a word in private');
  ann.user.takesDirectMessages = false;
  await assert.rejects(user.send('again'), { code: 50007 });
});

test('discord.js registers slash commands and answers them over the gateway', async (t) => {
  const emulator = await emulatorFor(t);
  const { id, channels } = emulator.createGuild({ name: 'Cat Club' });
  const [channelId = ''] = channels.keys();
  const ann = emulator.addMember(id, { name: 'ann' });
  const client = await loggedIn(t, emulator);
  const command = new SlashCommandBuilder()
    .setName('check')
    .setDescription('Checks a member')
    .addUserOption((option) => option.setName('member').setDescription('The member').setRequired(true));
  await new REST({ api: emulator.url })
    .setToken(emulator.application.token)
    .put(Routes.applicationGuildCommands(client.application.id, id), { body: [command.toJSON()] });
  assert.deepEqual(
    [...(await client.application.commands.fetch({ guildId: id })).values()].map(({ name }) => name),
    ['check'],
  );

  client.on(Events.InteractionCreate, async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply({ flags: ['Ephemeral'] });
    await interaction.editReply(`${interaction.options.getUser('member', true).username} is fine`);
    await interaction.followUp('Anything else?');
  });
  const press = { userId: ann.user.id, channelId, command: 'check', options: { member: ann.user.id } };
  const pressed = await emulator.press(press);
  assert.equal(pressed.answer.type, 5);
  await eventually(() => pressed.followUps().length === 1);
  assert.equal(pressed.message()?.content, 'ann is fine');
  assert.equal(pressed.followUps()[0]?.content, 'Anything else?');
});

test('discord.js sends messages of components, opens forms and reads what was entered', async (t) => {
  const emulator = await emulatorFor(t);
  const { id, channels } = emulator.createGuild({ name: 'Cat Club', bot: everything });
  const [channelId = ''] = channels.keys();
  const ann = emulator.addMember(id, { name: 'ann' });
  const client = await loggedIn(t, emulator);
  const guild = await client.guilds.fetch(id);
  const channel = await guild.channels.fetch(channelId);
  assert.ok(channel?.isSendable());
  const button = new ButtonBuilder().setCustomId('ask').setLabel('Ask').setStyle(ButtonStyle.Primary);
  const card = new ContainerBuilder()
    .addTextDisplayComponents(new TextDisplayBuilder().setContent('Which cat?'))
    .addSeparatorComponents(new SeparatorBuilder())
    .addSectionComponents(
      new SectionBuilder()
        .addTextDisplayComponents(new TextDisplayBuilder().setContent('Yours'))
        .setButtonAccessory(button),
    );
  const sent = await channel.send({ components: [card], flags: [MessageFlags.IsComponentsV2] });
  assert.ok(sent.flags.has(MessageFlags.IsComponentsV2));
  assert.equal(shownText(emulator.sentMessages(channelId)[0] ?? {}), 'Which cat?\nYours');
  await assert.rejects(sent.edit({ content: 'No cat' }), /MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2/);

  client.on(Events.InteractionCreate, async (interaction) => {
    if (interaction.isButton())
      await interaction.showModal(
        new ModalBuilder()
          .setCustomId('cat')
          .setTitle('Your cat')
          .addLabelComponents(
            new LabelBuilder()
              .setLabel('Name')
              .setTextInputComponent(new TextInputBuilder().setCustomId('name').setStyle(TextInputStyle.Short)),
            new LabelBuilder()
              .setLabel('Friend')
              .setUserSelectMenuComponent(new UserSelectMenuBuilder().setCustomId('friend')),
          ),
      );
    if (interaction.isModalSubmit()) await interaction.reply(`${interaction.fields.getTextInputValue('name')} it is`);
  });
  const press = { userId: ann.user.id, channelId };
  assert.equal((await emulator.press({ ...press, messageId: sent.id, customId: 'ask' })).answer.type, 9);
  const submitted = await emulator.press({ ...press, modal: 'cat', fields: { name: 'Tom', friend: [ann.user.id] } });
  assert.equal(submitted.message()?.content, 'Tom it is');
});

test('discord.js lists and deletes invites, hears of new ones, and reads onboarding and integrations', async (t) => {
  const emulator = await emulatorFor(t);
  const { id, channels } = emulator.createGuild({ name: 'Cat Club', bot: everything });
  const [channelId = ''] = channels.keys();
  const holder = emulator.createRole(id, { name: 'Holder' });
  const client = await loggedIn(t, emulator);
  const guild = await client.guilds.fetch(id);
  const [heard] = await received(client, Events.InviteCreate, () =>
    emulator.createInvite(id, { roleIds: [holder.id], maxUses: 2 }),
  );
  assert.equal(heard.maxUses, 2);
  const invite = (await guild.invites.fetch()).get(heard.code);
  assert.deepEqual([invite?.inviter?.username, invite?.uses], ['Cat Club owner', 0]);
  const own = await guild.invites.create(channelId, { maxAge: 60, maxUses: 1, unique: true });
  assert.equal(emulator.getGuild(id).invites.get(own.code)?.maxAgeSeconds, 60);
  const joined = emulator.acceptInvite(id, heard.code, { name: 'ann' });
  assert.deepEqual([...joined.roles], [holder.id]);
  assert.equal((await guild.invites.fetch({ code: heard.code, force: true })).uses, 1);
  await received(client, Events.InviteDelete, () => guild.invites.delete(heard.code));
  assert.ok(!emulator.getGuild(id).invites.has(heard.code));

  emulator.setOnboarding(id, {
    isEnabled: true,
    defaultChannelIds: Array.from({ length: 7 }, () => channelId),
    prompts: [{ title: 'Who are you?', options: [{ title: 'A cat', roleIds: [holder.id], channelIds: [channelId] }] }],
  });
  const [prompt] = (await guild.fetchOnboarding()).prompts.values();
  assert.deepEqual([...(prompt?.options.first()?.roles.keys() ?? [])], [holder.id]);
  assert.ok(prompt);
  const option = { id: prompt.options.firstKey() ?? '', title: 'A cat', channels: [channelId], roles: [] };
  await guild.editOnboarding({ prompts: [{ id: prompt.id, title: prompt.title, options: [option] }] });
  assert.deepEqual(emulator.getGuild(id).onboarding.prompts[0]?.options[0]?.roleIds, []);

  const [changed] = await received(client, Events.GuildIntegrationsUpdate, () =>
    emulator.addIntegration(id, { type: 'twitch', name: 'catstream', roleId: holder.id }),
  );
  assert.equal(changed.id, id);
  const integrations = await guild.fetchIntegrations();
  assert.deepEqual(integrations.map(({ name }) => name).sort(), ['Latchkey', 'catstream']);
  const counts = await client.rest.get(`/guilds/${id}/roles/member-counts`);
  assert.equal(Object(counts)[holder.id], 1);
  assert.ok(!(id in Object(counts)), 'everyone is left out');
});

test('discord.js creates an invite for one user, who joins with its roles, and takes one back', async (t) => {
  const emulator = await emulatorFor(t);
  const bot = ['MANAGE_ROLES', 'MANAGE_CHANNELS', 'CREATE_INSTANT_INVITE', 'VIEW_CHANNEL'] as const;
  const { id, channels } = emulator.createGuild({ name: 'Cat Club', bot });
  const [channelId = ''] = channels.keys();
  const holder = emulator.createRole(id, { name: 'Holder' });
  const staff = emulator.createRole(id, { name: 'Staff', permissions: ['BAN_MEMBERS'] });
  const [ann, bob] = [emulator.createUser('ann'), emulator.createUser('bob')];
  const { rest } = await loggedIn(t, emulator);
  const create = async (role_ids: string[], users: string) => {
    const body: RESTPostAPIChannelInviteJSONBody = { max_age: 600, max_uses: 1, unique: true, role_ids };
    const files = [{ key: 'target_users_file', name: 'users.csv', data: users }];
    return (await rest.post(Routes.channelInvites(channelId), { body, files })) as RESTPostAPIChannelInviteResult;
  };
  const stateOf = async (code: string) =>
    (await rest.get(Routes.inviteTargetUsersJobStatus(code))) as RESTGetAPIInviteTargetUsersJobStatusResult;
  emulator.holdTargetUsers('processing');
  const { code, max_uses, roles } = await create([holder.id], `${ann.id}\n`);
  assert.deepEqual([max_uses, roles?.map((role) => role.id)], [1, [holder.id]]);
  assert.equal((await stateOf(code)).status, InviteTargetUsersJobStatus.Processing);
  assert.throws(() => emulator.acceptInvite(id, code, { id: ann.id }), /Unknown Invite/);
  emulator.holdTargetUsers(undefined);
  const done = await stateOf(code);
  assert.deepEqual([done.status, done.total_users, done.processed_users], [InviteTargetUsersJobStatus.Completed, 1, 1]);
  assert.throws(() => emulator.acceptInvite(id, code, { id: bob.id }), /Unknown Invite/);
  assert.deepEqual([...emulator.acceptInvite(id, code, { id: ann.id }).roles], [holder.id]);
  await assert.rejects(rest.get(Routes.invite(code)), { code: 10006 }, 'it is used up');

  await assert.rejects(create([staff.id], `${bob.id}\n`), { code: 50013 }, 'the bot has no such permission itself');
  await assert.rejects(create([holder.id], 'bob\n'), { code: 50035 });
  const second = await create([holder.id], `${bob.id}\n`);
  const file = [{ key: 'target_users_file', name: 'users.csv', data: `${ann.id}\n` }];
  await rest.put(Routes.inviteTargetUsers(second.code), { files: file });
  const listed = (await rest.get(Routes.inviteTargetUsers(second.code))) as ArrayBuffer;
  assert.equal(Buffer.from(listed).toString(), `user_id\n${ann.id}\n`);
  const inChannel = (await rest.get(Routes.channelInvites(channelId))) as APIExtendedInvite[];
  assert.deepEqual(
    inChannel.map((invite) => invite.code),
    [second.code],
  );
  await rest.delete(Routes.invite(second.code));
  assert.equal(emulator.getGuild(id).invites.size, 0);
});

const everything = ['MANAGE_ROLES', 'MANAGE_GUILD', 'CREATE_INSTANT_INVITE', 'VIEW_CHANNEL'] as const;

test('discord.js resumes after its connection is cut, and misses nothing', async (t) => {
  const emulator = await emulatorFor(t);
  const { id } = emulator.createGuild({ name: 'Cat Club' });
  const client = await loggedIn(t, emulator);
  const names: string[] = [];
  client.on(Events.GuildMemberAdd, ({ user }) => names.push(user.username));
  await received(client, Events.ShardResume, () => {
    emulator.gateway.cut();
    emulator.addMember(id, { name: 'ann' });
    emulator.addMember(id, { name: 'ben' });
  });
  await eventually(() => names.length === 2);
  assert.deepEqual(names, ['ann', 'ben']);
});

test('discord.js creates a channel with overwrites, within what the bot may do and the limits of a guild', async (t) => {
  const emulator = await emulatorFor(t);
  const { id } = emulator.createGuild({ name: 'Cat Club' });
  const own = [...emulator.getGuild(id).roles.values()].find(({ botId }) => botId !== undefined)?.id ?? '';
  emulator.setPermissions(id, own, ['MANAGE_CHANNELS', 'VIEW_CHANNEL', 'SEND_MESSAGES']);
  emulator.setPermissions(id, id, ['VIEW_CHANNEL']);
  const client = await loggedIn(t, emulator);
  const guild = client.guilds.cache.get(id);
  assert.ok(guild);
  const channel = await guild.channels.create({
    name: 'Get Roles',
    permissionOverwrites: [
      { id, allow: ['ViewChannel'], deny: ['SendMessages'] },
      { id: client.user.id, allow: ['SendMessages'] },
    ],
  });
  assert.equal(channel.name, 'get-roles');
  const member = await guild.members.fetch(emulator.addMember(id).user.id);
  assert.deepEqual(
    [channel.permissionsFor(member).has('ViewChannel'), channel.permissionsFor(member).has('SendMessages')],
    [true, false],
  );
  const me = guild.members.me;
  assert.ok(me);
  assert.equal(channel.permissionsFor(me).has('SendMessages'), true);
  await channel.send('Hello');
  const refused = (code: number) => (error: unknown) => error instanceof DiscordAPIError && error.code === code;
  const banning = { name: 'x', permissionOverwrites: [{ id, deny: ['BanMembers' as const] }] };
  await assert.rejects(guild.channels.create(banning), refused(50013), 'it may not deny what it may not do');
  const category = emulator.createChannel(id, { name: 'Rooms', type: 4 });
  for (let room = 0; room < 50; room += 1) emulator.createChannel(id, { name: `r${room}`, parentId: category.id });
  await assert.rejects(guild.channels.create({ name: 'r50', parent: category.id }), refused(50035));
  while (emulator.getGuild(id).channels.size < 500) emulator.createChannel(id, { name: 'more' });
  await assert.rejects(guild.channels.create({ name: 'last' }), refused(30013));
});
