import type { Sql } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { recheckAdmins } from '../../communities/admins/index.ts';
import { forgetArrival, noteArrival } from '../../communities/bot-arrivals/index.ts';
import { setCommunityStatus } from '../../communities/community/index.ts';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { askDiscord } from '../../communities/discord-guilds/index.ts';
import { catchUp, noteMember } from '../../communities/members/index.ts';
import { rereadPicture } from '../../communities/pictures/index.ts';
import { noteInteraction } from '../../communities/usage/index.ts';
import { notifyMemberNews } from '../../developers/mini-apps/index.ts';
import { noteManualChanges } from '../../gating/manual-changes/index.ts';
import { resumeCommunity, resumeRole } from '../../gating/role-changes/index.ts';
import type { DiscordEvent } from '../../ports/index.ts';
import { announce } from '../../services/live-updates/index.ts';
import type { Services } from '../../shared/context.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { checkBackDoorsSoon } from '../back-doors/index.ts';
import type { Once } from '../discord-gateway/index.ts';
import { noteArrival as noteArrivalByInvite } from '../role-invites/index.ts';
import { handleInteraction } from './handle-interaction.ts';
import { type Interaction, readInteraction } from './interaction.ts';

type GuildEvent = Exclude<DiscordEvent, { kind: 'interaction' }>;

/**
 * Processes an event from Discord's gateway that was received at `receivedAt`. Events from servers that are not known here
 * change nothing. Work that must not be repeated runs in `once`; everything before it may run again.
 */
export async function takeDiscordEvent(
  services: Services,
  event: DiscordEvent,
  once: Once = async (work) => work?.(services.db.system),
  receivedAt: Date = services.clock(),
): Promise<void> {
  // Discord waits only three seconds for a response, so a retry is pointless.
  if (event.kind === 'interaction') {
    await once();
    return answerByGateway(services, event.interaction);
  }
  await applyState(services, event, receivedAt);
  await once((tx) => countAndNotify(services, tx, event));
}

/** Applies an event to the stored state. Idempotent. */
async function applyState(services: Services, event: GuildEvent, receivedAt: Date): Promise<void> {
  const whenReceived = { clock: () => receivedAt, db: services.db };
  switch (event.kind) {
    case 'member-joined':
    case 'member-updated': {
      const kind = event.kind === 'member-joined' ? 'joined' : 'updated';
      const { userName, roleIds, isBot, isPending, joinedAt } = event;
      if (!isBot) await noteArrivalByInvite(services, event.guildId, event);
      const news = { kind, userName, roleIds, isBot, isPending, joinedAt } as const;
      await noteMember(whenReceived, 'discord', event.guildId, event.userId, news, (tx, change) =>
        noteManualChanges(services, tx, change),
      );
      await recheckAdmin(services, event);
      // The bot may have been given another role, and with it the permissions it needs.
      if (isBot) {
        await resumeCommunity(services, communityKey('discord', event.guildId));
        await notifySetup(services, event);
        await watchDoors(services, event);
      }
      return;
    }
    case 'member-left':
      await noteMember(whenReceived, 'discord', event.guildId, event.userId, { kind: 'left' });
      return recheckAdmin(services, event);
    case 'member-unreadable':
      return catchUp(services, communityKey('discord', event.guildId));
    case 'message':
      return noteMember(whenReceived, 'discord', event.guildId, event.userId, { kind: 'active' });
    case 'role-updated':
      await notifySetup(services, event);
      await watchDoors(services, event);
      await recheckAdmins(services.db.system, communityKey('discord', event.guildId));
      return resumeRole(services, communityKey('discord', event.guildId), event.roleId);
    case 'guild-updated':
      await rereadPicture(services.db.system, communityKey('discord', event.guildId));
      return recheckAdmins(services.db.system, communityKey('discord', event.guildId));
    case 'invite-created':
    case 'integrations-changed':
      return watchDoors(services, event);
    case 'channel-changed':
      return notifySetup(services, event);
    case 'guild-left':
      await forgetArrival(services, 'discord', event.guildId);
      return setCommunityStatus(services, communityKey('discord', event.guildId), 'kicked');
    case 'guild-joined': {
      const { guildId: communityId, name, ownerId } = event;
      await noteArrival(services, { platform: 'discord', communityId, name, ownerId });
      await setCommunityStatus(services, communityKey('discord', event.guildId), 'active');
      // A new session reports every guild, but none of the events since the last session.
      return catchUp(services, communityKey('discord', event.guildId));
    }
  }
}

/** Counts the use of a community, and notifies subscribed applications. */
async function countAndNotify(services: Services, tx: Sql, event: GuildEvent): Promise<void> {
  const count = (kind: 'join' | 'leave' | 'message') =>
    noteInteraction(tx, communityKey('discord', event.guildId), kind, services.clock());
  switch (event.kind) {
    case 'member-joined':
    case 'member-updated': {
      const { guildId, userId, roleIds: roles } = event;
      await notifyMemberNews(tx, { event: 'guildMemberUpdate', guildId, userId, roles });
      return event.kind === 'member-joined' ? count('join') : undefined;
    }
    case 'member-left': {
      const { guildId, userId } = event;
      await notifyMemberNews(tx, { event: 'guildMemberRemove', guildId, userId, roles: [] });
      return count('leave');
    }
    case 'message':
      return count('message');
  }
}

/** Live viewers of a community's setup page see what an admin changes on Discord. */
function notifySetup(services: Services, { guildId }: { guildId: string }): Promise<void> {
  return announce(services.db.system, { changed: 'setup', community: communityKey('discord', guildId) });
}

/** Something changed that could give roles in another way than by the rules. */
async function watchDoors(services: Services, { guildId }: { guildId: string }): Promise<void> {
  const id = communityKey('discord', guildId);
  const community = await selectCommunity(services.db.system, id);
  if (community?.status === 'active') await checkBackDoorsSoon(services.db.system, id, services.clock());
}

/** A member's permissions depend on their roles. */
function recheckAdmin(services: Services, { guildId, userId }: { guildId: string; userId: string }): Promise<void> {
  return recheckAdmins(services.db.system, communityKey('discord', guildId), userKey('discord', userId));
}

async function answerByGateway(services: Services, body: unknown): Promise<void> {
  const interaction = readOrDrop(services, body);
  if (interaction === undefined || interaction.kind === 'ping') return;
  const response = await handleInteraction(services, body);
  await askDiscord(services, (discord) => discord.respond(interaction, response));
}

// If sent again it would be just as malformed, and hold up the events after it.
function readOrDrop(services: Services, body: unknown): Interaction | undefined {
  try {
    return readInteraction(body);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    services.log.for('discord').warn('Dropped a malformed interaction.', { reason: error.message });
    return undefined;
  }
}
