import { enqueue, isUnavailable, type Tx } from '@latchkey/db';
import type { PlatformName } from '@latchkey/kernel';
import { recheckAdmins } from '../../communities/admins/index.ts';
import { setCommunityStatus } from '../../communities/community/index.ts';
import { selectByPlatformId } from '../../communities/community-records/index.ts';
import { catchUp, noteMember } from '../../communities/members/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { type InteractionKind, noteInteraction } from '../../communities/usage/index.ts';
import type { ChatEvent, ChatEvents, ChatJoinWay, ChatPerson } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { recordRoomBypass } from '../telegram-gate/index.ts';
import { isCommand } from './answer-command.ts';
import { commandJob, enterJob, followJob, joinJob } from './jobs.ts';
import { movePosition } from './queries.ts';

type TakeContext = Pick<Context, 'clock' | 'db' | 'log' | 'random'>;

/** Which bot of which platform. The name does not reveal its token. */
export interface ChatBotId {
  platform: PlatformName;
  bot: string;
}

/**
 * Handles events of a bot, each once: replies and counts are enqueued in the transaction that moves the position. It only writes to
 * the database: everything that calls the platform or a chain is a job, so that no event holds up others. Throws if another process
 * handled them meanwhile, so that the listener reads the position again.
 */
export async function takeChatEvents(ctx: TakeContext, { platform, bot }: ChatBotId, taken: ChatEvents): Promise<void> {
  for (const event of taken.events) {
    try {
      await applyState(ctx, platform, event);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      // The same event would fail again, and hold up all others.
      ctx.log
        .for(platform)
        .error('Failed to process an event of a chat platform; dropping it.', { kind: event.kind, error });
    }
  }
  await ctx.db.transaction('system', async (tx) => {
    if (!(await movePosition(tx, { bot, ...taken }, ctx.clock())))
      throw new Error('Another process handled these events already.');
    for (const event of taken.events) await countAndEnqueue(ctx, tx, platform, event);
  });
}

/** Applies an event to the stored state. Idempotent. */
async function applyState(ctx: TakeContext, platform: PlatformName, event: ChatEvent): Promise<void> {
  if (event.kind === 'command' || event.kind === 'bot-invited' || event.kind === 'replaced') return;
  const community = await selectByPlatformId(ctx.db.system, platform, event.communityId);
  if (community === undefined) return;
  switch (event.kind) {
    case 'joined': {
      const { user, roleIds } = event;
      return noteMember(ctx, platform, community.id, user.id, {
        kind: 'joined',
        userName: user.name,
        roleIds,
        isBot: user.isBot,
      });
    }
    case 'left':
      await noteMember(ctx, platform, community.id, event.user.id, { kind: 'left', keepsRoles: event.keepsRoles });
      return recheckAdmins(ctx.db.system, community.id, userKey(platform, event.user.id));
    case 'rights-changed':
      return recheckAdmins(ctx.db.system, community.id);
    case 'entered':
    case 'role-requested': {
      const members = [userKey(platform, event.user.id)];
      return enqueueReconcile(ctx.db.system, { communityId: community.id, members, cause: 'requested' });
    }
    case 'spoke':
      return noteMember(ctx, platform, community.id, event.user.id, { kind: 'active' });
    case 'bot-removed':
      return setCommunityStatus(ctx, community.id, 'kicked');
    case 'missed':
      return catchUp(ctx, community.id);
  }
}

const counted: Readonly<Partial<Record<ChatEvent['kind'], InteractionKind>>> = {
  joined: 'join',
  left: 'leave',
  spoke: 'message',
};

/** Counts the use of a community, and enqueues what needs the platform. */
async function countAndEnqueue(ctx: TakeContext, tx: Tx, platform: PlatformName, event: ChatEvent): Promise<void> {
  if ('user' in event && event.user.isBot) return;
  switch (event.kind) {
    case 'command': {
      const { placeId, user, command, argument } = event;
      if (!isCommand(command)) return;
      const payload = { platform, placeId, userId: user.id, command, argument };
      await enqueue(tx, commandJob, payload, { uniqueKey: [platform, placeId, user.id, command, argument].join(' ') });
      return;
    }
    case 'bot-invited': {
      const { placeId, user, isPrivate } = event;
      const payload = { platform, placeId, userId: user.id, isPrivate };
      await enqueue(tx, enterJob, payload, { uniqueKey: [platform, placeId].join(' ') });
      return;
    }
    case 'join-requested': {
      const community = await selectByPlatformId(tx, platform, event.communityId);
      if (community?.status !== 'active') return;
      await enqueue(tx, joinJob, { communityId: community.id, userId: event.user.id, roleId: event.roleId });
      return;
    }
    case 'replaced': {
      const { placeId, newPlaceId, via } = event;
      await enqueue(
        tx,
        followJob,
        { platform, placeId, newPlaceId, via: [...via] },
        { uniqueKey: `${platform} ${placeId}` },
      );
      return;
    }
    case 'entered':
      return noteBypass(ctx, tx, platform, event);
    default: {
      if (event.kind === 'joined' && event.way !== undefined)
        await noteBypass(ctx, tx, platform, { ...event, roleId: event.roleIds[0], way: event.way });
      const kind = counted[event.kind];
      const community = kind && (await selectByPlatformId(tx, platform, event.communityId));
      if (kind !== undefined && community !== undefined) await noteInteraction(tx, community.id, kind, ctx.clock());
    }
  }
}

interface Entry {
  communityId: string;
  user: ChatPerson;
  roleId: string | undefined;
  way: ChatJoinWay;
}

/** A join that the bot did not allow goes around the gate, if a rule decides who is there. */
async function noteBypass(
  ctx: TakeContext,
  tx: Tx,
  platform: PlatformName,
  { communityId, user, roleId, way }: Entry,
): Promise<void> {
  const community = await selectByPlatformId(tx, platform, communityId);
  if (community?.status !== 'active' || roleId === undefined) return;
  const rules = await selectRules(tx, community.id);
  if (rules.some(({ role_id }) => role_id === roleId))
    await recordRoomBypass(tx, { communityId: community.id, platform, user, roleId, way, at: ctx.clock() });
}
