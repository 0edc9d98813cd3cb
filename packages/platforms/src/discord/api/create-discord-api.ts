import { listOf, parseEntries, parseEntry } from '@latchkey/adapter-kit';
import {
  type DiscordApi,
  type DiscordGuildObject,
  type DiscordMemberObject,
  type DiscordMessage,
  type DiscordRoleObject,
  PlatformFailed,
} from '@latchkey/core/ports';
import { InviteTargetUsersJobStatus } from 'discord-api-types/v10';
import { type MemberPage, readMember, readPage } from '../host/members.ts';
import { notUnderstood, rolesIn } from '../host/read-scene.ts';
import { parseIntegration, parseInvite, parseOnboarding, trimPrompts } from '../parse/parse-entrances.ts';
import { parseChannel, parseRole } from '../parse/parse-objects.ts';
import { codes, type DiscordAnswer, type DiscordClient, platformFailed } from '../rest/create-client.ts';

/** Creates the Discord calls that API operations need, within the same rate limits as role writes. */
export function createDiscordApi(client: DiscordClient): DiscordApi {
  let botId: string | undefined;
  // The shape of Discord's responses is trusted here. Missing fields stay undefined and are left out of our responses.
  async function ask<Body>(sent: Promise<DiscordAnswer>): Promise<Body> {
    const answer = await sent;
    if (answer.kind === 'ok') return answer.body as Body;
    throw refusalOf(answer);
  }
  async function list<Entry extends { id: string }>(
    kind: string,
    sent: Promise<DiscordAnswer>,
    parse: (value: unknown) => Entry,
  ): Promise<Entry[]> {
    const body = await ask<unknown>(sent);
    if (!Array.isArray(body)) throw notUnderstood();
    return parseEntries(body, { source: 'discord', kind, idOf: ({ id }) => id }, parse).entries;
  }
  /** Reads what must be known completely or not at all. */
  async function readWhole<Result>(sent: Promise<DiscordAnswer>, parse: (body: unknown) => Result): Promise<Result> {
    const body = await ask<unknown>(sent);
    const read = parseEntry(body, { source: 'discord', kind: 'entrance' }, parse);
    if (read === undefined) throw notUnderstood();
    return read.parsed;
  }
  async function find<Body>(sent: Promise<DiscordAnswer>): Promise<Body | undefined> {
    const answer = await sent;
    if (answer.kind === 'ok') return answer.body as Body;
    if (answer.kind === 'refused' && isMissing(answer.code)) return undefined;
    throw refusalOf(answer);
  }
  return {
    readGuild: async (guildId) => {
      const guild = await ask<DiscordGuildObject>(
        client.call('GET', `/guilds/${guildId}`, { query: { with_counts: 'true' } }),
      );
      if (typeof guild?.name !== 'string' || typeof guild.owner_id !== 'string') throw notUnderstood();
      return { ...guild, roles: rolesIn(guildId, guild.roles).roles };
    },
    readRoles: (guildId) => list('role', client.call('GET', `/guilds/${guildId}/roles`), parseRole),
    readInvites: (guildId) =>
      readWhole(client.call('GET', `/guilds/${guildId}/invites`), (body) => listOf(body, 'invites').map(parseInvite)),
    readChannelInvites: (channelId) =>
      readWhole(client.call('GET', `/channels/${channelId}/invites`), (body) =>
        listOf(body, 'invites').map(parseInvite),
      ),
    createPersonalInvite: async ({ channelId, userId, roleIds, maxAgeSeconds }, reason) => {
      const body = { max_age: maxAgeSeconds, max_uses: 1, unique: true, temporary: false, role_ids: [...roleIds] };
      const file = { field: 'target_users_file', name: 'users.csv', text: `${userId}\n` };
      const sent = client.call('POST', `/channels/${channelId}/invites`, { body, file, reason });
      return (await readWhole(sent, parseInvite)).code;
    },
    personalInviteState: async (code) => {
      const answer = await client.call('GET', `/invites/${code}/target-users/job-status`);
      if (answer.kind === 'refused' && answer.code === codes.unknownInvite) return undefined;
      if (answer.kind !== 'ok') throw refusalOf(answer);
      const { status } = Object(answer.body);
      if (status === InviteTargetUsersJobStatus.Completed) return 'ready';
      return status === InviteTargetUsersJobStatus.Failed ? 'failed' : 'preparing';
    },
    deleteInvite: async (code, reason) => {
      const answer = await client.call('DELETE', `/invites/${code}`, { reason });
      if (answer.kind === 'ok') return true;
      if (answer.kind === 'refused' && answer.code === codes.unknownInvite) return false;
      throw refusalOf(answer);
    },
    readOnboarding: (guildId) => readWhole(client.call('GET', `/guilds/${guildId}/onboarding`), parseOnboarding),
    trimOnboarding: async (guildId, { optionId, roleId }, reason) => {
      const path = `/guilds/${guildId}/onboarding` as const;
      const { prompts } = await readWhole(client.call('GET', path), (body) => ({
        prompts: trimPrompts(body, optionId, roleId),
      }));
      if (prompts === undefined) return false;
      await ask(client.call('PUT', path, { body: { prompts }, reason }));
      return true;
    },
    readIntegrations: (guildId) =>
      readWhole(client.call('GET', `/guilds/${guildId}/integrations`), (body) =>
        listOf(body, 'integrations').map(parseIntegration),
      ),
    createRole: (guildId, role, reason) =>
      ask<DiscordRoleObject>(client.call('POST', `/guilds/${guildId}/roles`, { body: role, reason })),
    moveRole: async (guildId, roleId, position, reason) => {
      await ask(client.call('PATCH', `/guilds/${guildId}/roles`, { body: [{ id: roleId, position }], reason }));
    },
    readChannels: (guildId) => list('channel', client.call('GET', `/guilds/${guildId}/channels`), parseChannel),
    createChannel: async (guildId, channel, reason) =>
      parseChannel(await ask<unknown>(client.call('POST', `/guilds/${guildId}/channels`, { body: channel, reason }))),
    readMember: (guildId, userId) => readMember(client, guildId, userId),
    readMembers: (guildId, { limit, after = '0' }) => listMembers(client, guildId, after, limit),
    readBot: async (guildId) => {
      botId ??= (await ask<{ id: string }>(client.call('GET', '/users/@me'))).id;
      try {
        return await readMember(client, guildId, botId);
      } catch (error) {
        if (error instanceof PlatformFailed && error.kind === 'unknown-community') return undefined;
        throw error;
      }
    },
    botName: async () => (await ask<{ username: string }>(client.call('GET', '/users/@me'))).username,
    sendMessage: (channelId, body) =>
      ask<DiscordMessage>(client.call('POST', `/channels/${channelId}/messages`, { body })),
    sendPrivately: async (userId, body) => {
      const channel = await ask<{ id: string }>(
        client.call('POST', '/users/@me/channels', { body: { recipient_id: userId } }),
      );
      return ask<DiscordMessage>(client.call('POST', `/channels/${channel.id}/messages`, { body }));
    },
    editMessage: (channelId, messageId, body) =>
      find<DiscordMessage>(client.call('PATCH', `/channels/${channelId}/messages/${messageId}`, { body })),
    followUp: ({ applicationId, token }, body) =>
      ask<DiscordMessage>(
        client.call('POST', `/webhooks/${applicationId}/${token}`, { body, query: { wait: 'true' } }),
      ),
    editFollowUp: ({ applicationId, token }, messageId, body) =>
      find<DiscordMessage>(client.call('PATCH', `/webhooks/${applicationId}/${token}/messages/${messageId}`, { body })),
    readFollowUp: ({ applicationId, token }, messageId) =>
      find<DiscordMessage>(client.call('GET', `/webhooks/${applicationId}/${token}/messages/${messageId}`)),
    deleteFollowUp: async ({ applicationId, token }, messageId) => {
      const answer = await client.call('DELETE', `/webhooks/${applicationId}/${token}/messages/${messageId}`);
      if (answer.kind === 'ok') return true;
      if (answer.kind === 'refused' && isMissing(answer.code)) return false;
      throw refusalOf(answer);
    },
    respond: async ({ id, token }, body) => {
      await ask(client.call('POST', `/interactions/${id}/${token}/callback`, { body }));
    },
    setCommands: async (commands, personal = []) => {
      const { id, ...application } = await ask<{ id: string; integration_types_config?: object | null }>(
        client.call('GET', '/applications/@me'),
      );
      const isPersonal = Object.hasOwn(application.integration_types_config ?? {}, userInstall);
      const body = isPersonal ? [...commands, ...personal] : commands;
      await ask(client.call('PUT', `/applications/${id}/commands`, { body }));
    },
    setGuildCommands: async (guildId, commands) => {
      const { id } = await ask<{ id: string }>(client.call('GET', '/applications/@me'));
      await ask(client.call('PUT', `/applications/${id}/guilds/${guildId}/commands`, { body: commands }));
    },
  };
}

/** An app that is added to a user's account instead of a server, as a key of its settings. */
const userInstall = '1';

/** Reads on until there are enough members, so that malformed entries do not shorten a page that has a next one. */
async function listMembers(
  client: DiscordClient,
  guildId: string,
  after: string,
  limit: number,
): Promise<DiscordMemberObject[]> {
  const found: DiscordMemberObject[] = [];
  for (let from: string | undefined = after; from !== undefined && found.length < limit; ) {
    const page: MemberPage = await readPage(client, guildId, from, { limit: limit - found.length });
    found.push(...page.members);
    from = page.next;
  }
  return found;
}

const unusable: ReadonlySet<number> = new Set([codes.emptyMessage, codes.invalidForm, codes.invalidJson]);

function isMissing(code: number): boolean {
  return code === codes.unknownMessage;
}

function refusalOf(answer: Exclude<DiscordAnswer, { kind: 'ok' }>): PlatformFailed {
  if (answer.kind === 'refused' && answer.code === codes.unknownChannel)
    return new PlatformFailed('unknown-community', 'Channel not found in any Discord server the bot is in.');
  if (answer.kind === 'refused' && unusable.has(answer.code))
    return new PlatformFailed('malformed', `Discord rejected this: ${answer.message.replace(/[.\s]*$/, '')}.`);
  const isSpent =
    answer.kind === 'refused' && [codes.unknownWebhook, codes.invalidWebhookToken].some((code) => code === answer.code);
  if (isSpent)
    return new PlatformFailed(
      'forbidden',
      'This Discord interaction has expired: follow-up messages are only allowed for 15 minutes.',
    );
  return platformFailed(answer);
}
