import { enqueue, type Hashed, hashSecret } from '@latchkey/db';
import { choice, exponentialRetry, job, shape, T } from '@latchkey/kernel';
import { findLocale } from '@latchkey/kernel/messages';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { askDiscord, keepInteraction, openInteractionByHash } from '../../communities/discord-guilds/index.ts';
import { applyNow } from '../../gating/role-changes/index.ts';
import { communityIdField } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { answer, type BotAnswer, whyNot, whyRoles } from '../bot-replies/index.ts';
import type { Interaction } from './interaction.ts';
import { type InteractionResponse, later, messageFor } from './responses.ts';

type LaterCommand = 'roles' | 'check' | 'why';

const lastTry = 4;

/** Checks the member and edits the deferred message with the reply. */
export const answerInteraction = job(
  'discord-interactions.answer',
  {
    payload: shape(
      T.Object({
        interactionHash: T.String({ maxLength: 64 }),
        communityId: communityIdField(),
        userId: T.String({ maxLength: 128 }),
        command: choice('The command.', ['roles', 'check', 'why']),
        aboutId: T.Optional(T.String({ description: 'The member an admin asks about.', maxLength: 128 })),
        locale: T.Optional(T.String({ description: 'The language of the user.', maxLength: 35 })),
      }),
    ),
    retry: exponentialRetry(lastTry, 1, 20),
    timeoutSeconds: 120,
  },
  async (job: Context, { interactionHash, communityId, userId, command, aboutId, locale = '' }, { attempt }) => {
    const ctx: Context = { ...job, locale: findLocale(locale) };
    const community = await selectCommunity(ctx.db.system, communityId);
    if (community === undefined) return;
    const handle = await openInteractionByHash(ctx, asHash(interactionHash));
    const reply = await answerNow(ctx, community, command, { userId, aboutId }).catch((error: unknown) => {
      if (attempt < lastTry) throw error;
      return answer(messagesIn(ctx.locale)('check.failed'));
    });
    await askDiscord(ctx, (discord) => discord.editFollowUp(handle, '@original', { ...messageFor(reply) }));
  },
);

/** Defers the reply, since reading chains takes longer than Discord waits. */
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
    ...(ctx.locale !== undefined && { locale: ctx.locale }),
    ...(command === 'why' && { aboutId: userKey('discord', interaction.options.user ?? '') }),
  });
  return later;
}

async function answerNow(
  ctx: Context,
  community: CommunityRow,
  command: LaterCommand,
  { userId, aboutId }: { userId: string; aboutId?: string | undefined },
): Promise<BotAnswer> {
  try {
    if (command === 'why') return await whyRoles(ctx, community, aboutId ?? userId, 'other');
    if (command === 'check') await applyNow(ctx, community, userId, { liftSuppressions: false });
    const t = messagesIn(ctx.locale);
    const roles = await whyRoles(ctx, community, userId, 'self', t('why.howOnDiscord'));
    return command === 'check' ? answer(`${t('check.upToDate')}\n${roles.text}`) : roles;
  } catch (error) {
    return whyNot(error);
  }
}

// The payload can only contain what answerLater stored.
function asHash(hash: string): Hashed {
  return hash as Hashed;
}
