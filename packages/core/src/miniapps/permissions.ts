import { AppError, splitScopes } from '@latchkey/kernel';
import { findClientRef } from '../client-apps/index.ts';
import { type CommunityRow, userKey } from '../communities/index.ts';
import type { Context } from '../context.ts';
import { issueAccessToken } from '../credentials/index.ts';
import { findForwarded } from '../discord/index.ts';
import { noteAuthorization } from '../user-authorizations/index.ts';
import { type Forwarded, forwardInteraction } from './forward.ts';
import { selectMiniApp } from './queries.ts';

const pattern = /^\$(approve|deny)-user-permissions:([0-9A-Za-z]{1,64})$/;
const tokenTtlSeconds = 3600;

/** True for the buttons by which people let an app act for them, which no app may answer by itself. */
export function isPermissionButton(name: string): boolean {
  return pattern.test(name);
}

/**
 * Somebody answered an app that asked to act for them. What was asked is read from the message as Discord shows it to
 * them, not from what the app says now; the app gets a token with just those scopes.
 */
export async function answerPermission(
  ctx: Context,
  community: CommunityRow,
  interaction: Forwarded,
): Promise<Record<string, unknown> & { type: number }> {
  const [, decision, interactionId = ''] = pattern.exec(interaction.name) ?? [];
  const begun = await findForwarded(ctx, interactionId);
  const userId = userKey('discord', interaction.userId);
  if (begun === undefined || begun.communityId !== community.id)
    throw new AppError('STATE_CONFLICT', 'This question is too old. Use the command once more.');
  if (begun.userId !== userId) throw new AppError('STATE_CONFLICT', 'This question is for somebody else.');
  const app = await selectMiniApp(ctx.db.system, begun.appId);
  if (app?.status !== 'LISTED') throw new AppError('STATE_CONFLICT', 'This app is not available any more.');
  if (decision === 'deny') return forwardInteraction(ctx, community, app, interaction);
  const { clientId, scopes } = readQuestion(interaction.raw);
  const found = await findClientRef(ctx.db.pool, clientId);
  if (found === undefined || found.organizationId !== app.organization_id)
    throw new AppError('STATE_CONFLICT', `${app.name} asks in the name of an application that is not its own.`);
  const allowed = found.client.allowedScopes ?? [];
  const tooMuch = scopes.filter(
    (scope) => scope.startsWith('$') || !(allowed.includes(scope) || allowed.includes('$all')),
  );
  if (scopes.length === 0 || tooMuch.length > 0)
    throw new AppError(
      'STATE_CONFLICT',
      `${app.name} asks for more than it may have: ${tooMuch.join(', ') || 'nothing named'}.`,
    );
  await noteAuthorization(ctx, { userId, clientId, scopes });
  const name = ctx.actor.kind === 'user' ? ctx.actor.name : undefined;
  const holder = { kind: 'user', userId, platform: 'discord', clientId, ...(name !== undefined && { name }) } as const;
  const { token } = await issueAccessToken(ctx, { holder, scopes, ttlSeconds: tokenTtlSeconds });
  return forwardInteraction(ctx, community, app, interaction, token);
}

/** The fields of the embed that the person saw. */
function readQuestion(raw: Forwarded['raw']): { clientId: string; scopes: readonly string[] } {
  const { embeds } = Object(raw.message);
  const fields = (Array.isArray(embeds) ? embeds : []).flatMap((embed) => {
    const { fields: list } = Object(embed);
    return Array.isArray(list) ? list : [];
  });
  const fieldOf = (name: string) => {
    const found = fields.map(Object).find((field) => field.name === name);
    return typeof found?.value === 'string' ? found.value : '';
  };
  return { clientId: fieldOf('action-client-id').trim(), scopes: splitScopes(fieldOf('action-requested-scopes')) };
}
