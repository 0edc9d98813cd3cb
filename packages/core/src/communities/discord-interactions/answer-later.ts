import { enqueue, type Hashed, hashSecret } from '@latchkey/db';
import { AppError, choice, exponentialRetry, job, shape, T } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { applyNow, lookNow } from '../../gating/role-plans/index.ts';
import { type CommunityRow, selectCommunity, userKey } from '../communities/index.ts';
import { askDiscord, keepInteraction, openInteractionByHash } from '../discord/index.ts';
import { describeRoles } from './describe-roles.ts';
import type { Interaction } from './interaction.ts';
import { type InteractionResponse, later, messageOf } from './responses.ts';

export type LaterCommand = 'roles' | 'check';

const lastTry = 4;

/** Looks at the member and writes the answer into the message that waits for it. */
export const answerInteraction = job(
  'discord-interactions.answer',
  {
    payload: shape(
      T.Object({
        interactionHash: T.String({ maxLength: 64 }),
        communityId: T.String({ maxLength: 128 }),
        userId: T.String({ maxLength: 128 }),
        command: choice('What was asked for.', ['roles', 'check']),
      }),
    ),
    retry: exponentialRetry(lastTry, 1, 20),
    timeoutSeconds: 120,
  },
  async (ctx: Context, { interactionHash, communityId, userId, command }, { attempt }) => {
    const community = await selectCommunity(ctx.db.system, communityId);
    if (community === undefined) return;
    const handle = await openInteractionByHash(ctx, asHash(interactionHash));
    const text = await answerText(ctx, community, userId, command).catch((error: unknown) => {
      if (attempt < lastTry) throw error;
      return 'Your roles cannot be checked at the moment. Nothing was changed; try again later.';
    });
    await askDiscord(ctx, (discord) => discord.editFollowUp(handle, '@original', messageOf(text)));
  },
);

/** Answers at once that an answer will come, since looking at chains takes longer than Discord waits. */
export async function answerLater(
  ctx: Context,
  community: CommunityRow,
  interaction: Interaction,
  command: LaterCommand,
): Promise<InteractionResponse> {
  const id = await keepInteraction(ctx, interaction, community.id);
  await enqueue(ctx.db.system, answerInteraction, {
    interactionHash: hashSecret(id),
    communityId: community.id,
    userId: userKey('discord', interaction.userId),
    command,
  });
  return later;
}

async function answerText(
  ctx: Context,
  community: CommunityRow,
  userId: string,
  command: LaterCommand,
): Promise<string> {
  try {
    const before = command === 'check' ? await applyNow(ctx, community, userId, { liftPauses: false }) : undefined;
    const { members } = await lookNow(ctx, community, [userId], { liftPauses: false });
    const [member] = members;
    if (member === undefined) return 'Discord does not show you as a member of this server.';
    return `${before === undefined ? '' : 'Your roles are up to date.\n'}${describeRoles(member)}`;
  } catch (error) {
    if (error instanceof AppError && error.code === 'STATE_CONFLICT') return error.message;
    throw error;
  }
}

// The payload can only hold what answerLater put there.
function asHash(hash: string): Hashed {
  return hash as Hashed;
}
