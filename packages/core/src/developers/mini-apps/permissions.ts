import { AppError, type ClientRef, splitScopes } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { findForwarded } from '../../communities/discord-guilds/index.ts';
import { findClientOfOrganization } from '../../identity/client-apps/index.ts';
import { issueAccessToken } from '../../identity/credentials/index.ts';
import { findOrganizationName } from '../../identity/organizations/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { describeScopes } from '../oauth2/index.ts';
import { noteAuthorization } from '../user-authorizations/index.ts';
import { type Forwarded, forwardInteraction } from './forward.ts';
import { keepQuestion, type PermissionQuestion, takeQuestion } from './permission-queries.ts';
import { type MiniAppRow, selectMiniApp } from './queries.ts';

type Response = Record<string, unknown> & { type: number };

const pattern = /^\$(approve|deny)-user-permissions:([0-9A-Za-z]{1,64})$/;
const tokenTtlSeconds = 3600;
const [messageType, onlyForThem] = [4, 64];
const [allowStyle, cancelStyle] = [3, 2];

/** Whether a button is one with which an app requests to act for users, which no app may handle itself. */
export function isPermissionButton(name: string): boolean {
  return pattern.test(name);
}

/**
 * Handles a member's press of the button of an app that wants to act for them. The app wrote the text around that
 * button, so the press grants nothing: it makes the server ask, in its own words and only this member.
 */
export async function askPermission(ctx: Context, community: CommunityRow, interaction: Forwarded): Promise<Response> {
  const [, decision, interactionId = ''] = pattern.exec(interaction.name) ?? [];
  const begun = await findForwarded(ctx, interactionId);
  const userId = userKey('discord', interaction.userId);
  if (begun === undefined || begun.communityId !== community.id)
    throw new AppError('STATE_CONFLICT', 'This question has expired. Run the command again.');
  if (begun.userId !== userId) throw new AppError('STATE_CONFLICT', 'This question is for someone else.');
  const app = await getListed(ctx, begun.appId);
  if (decision === 'deny') return forwardInteraction(ctx, community, app, interaction);
  const { scopes, ...asked } = readQuestion(interaction.raw);
  const client = await getAllowedClient(ctx, app, asked.clientId, scopes);
  const content = await describePermission(ctx, app, { clientName: client.name, scopes, ttlSeconds: tokenTtlSeconds });
  const pressed = { interactionId, message: interaction.raw.message };
  const secret = await keepQuestion(ctx, {
    userId,
    communityId: community.id,
    appId: app.id,
    clientId: client.id,
    scopes,
    pressed,
  });
  const t = messagesIn(ctx.locale);
  const components = [
    { type: 2, style: allowStyle, label: t('permission.allow'), custom_id: `latchkey:permit:${secret}` },
    { type: 2, style: cancelStyle, label: t('permission.cancel'), custom_id: `latchkey:refuse:${secret}` },
  ];
  // The app's answer may replace this message, and Discord takes no `content` from it once a message has components alone.
  return {
    type: messageType,
    data: { content, flags: onlyForThem, allowed_mentions: { parse: [] }, components: [{ type: 1, components }] },
  };
}

/**
 * Handles a member's answer to the server's own question. Only here does an app get a token, with exactly the scopes
 * that were shown.
 */
export async function answerPermission(
  ctx: Context,
  community: CommunityRow,
  interaction: Forwarded,
  { secret, isAllowed }: { secret: string; isAllowed: boolean },
): Promise<Response> {
  const userId = userKey('discord', interaction.userId);
  const question = await takeQuestion(ctx, secret, { userId, communityId: community.id });
  if (question === undefined)
    throw new AppError('STATE_CONFLICT', 'This question was already answered or has expired. No access was granted.');
  const app = await getListed(ctx, question.appId);
  if (!isAllowed) return notifyApp(ctx, community, app, interaction, question);
  const { clientId, scopes } = question;
  await getAllowedClient(ctx, app, clientId, scopes);
  await noteAuthorization(ctx, { userId, clientId, scopes });
  const name = ctx.actor.kind === 'user' ? ctx.actor.name : undefined;
  const holder = { kind: 'user', userId, platform: 'discord', clientId, ...(name !== undefined && { name }) } as const;
  const { token } = await issueAccessToken(ctx, { holder, scopes, ttlSeconds: tokenTtlSeconds });
  return notifyApp(ctx, community, app, interaction, question, token);
}

/** Passes the answer to the app as a press of its own button. The secret of the server's button is not passed on. */
function notifyApp(
  ctx: Context,
  community: CommunityRow,
  app: MiniAppRow,
  interaction: Forwarded,
  { pressed }: PermissionQuestion,
  token?: string,
): Promise<Response> {
  const name = `$${token === undefined ? 'deny' : 'approve'}-user-permissions:${pressed.interactionId}`;
  const raw = {
    ...interaction.raw,
    data: { ...Object(interaction.raw.data), custom_id: name },
    message: pressed.message,
  };
  return forwardInteraction(ctx, community, app, { ...interaction, name, raw }, token);
}

async function getListed(ctx: Pick<Context, 'db'>, appId: string): Promise<MiniAppRow> {
  const app = await selectMiniApp(ctx.db.system, appId);
  if (app?.status !== 'LISTED') throw new AppError('STATE_CONFLICT', 'This app is no longer available.');
  return app;
}

/**
 * Returns the application that an app requests access for. Refuses one of another owner, and scopes beyond what the operator granted it.
 */
async function getAllowedClient(
  ctx: Pick<Context, 'db'>,
  app: MiniAppRow,
  clientId: string,
  scopes: readonly string[],
): Promise<ClientRef> {
  const found = await findClientOfOrganization(ctx.db.pool, app.organization_id, clientId);
  if (found === undefined)
    throw new AppError('STATE_CONFLICT', `${app.name} requests access for an application that it does not own.`);
  const allowed = found.client.allowedScopes ?? [];
  const tooMuch = scopes.filter(
    (scope) => scope.startsWith('$') || !(allowed.includes(scope) || allowed.includes('$all')),
  );
  if (scopes.length === 0 || tooMuch.length > 0)
    throw new AppError(
      'STATE_CONFLICT',
      `${app.name} requests scopes that it is not allowed to have: ${tooMuch.join(', ') || 'none named'}.`,
    );
  return found.client;
}

/** Reads what the app requests from the fields of its embed. */
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

const maxName = 60;

/**
 * Writes the question whether an app may act for a user, in this server's own words: which app, what for, how long, and
 * how to end it. Only the app's name comes from the app, so that no app can make the question look like a different
 * one.
 */
async function describePermission(
  ctx: Pick<Context, 'db' | 'settings' | 'locale'>,
  app: MiniAppRow,
  options: { clientName: string; scopes: readonly string[]; ttlSeconds: number },
): Promise<string> {
  const t = messagesIn(ctx.locale);
  const names = { app: plain(app.name), client: plain(options.clientName) };
  const developer = await findOrganizationName(ctx.db.system, app.organization_id);
  const described = await describeScopes(ctx, options.scopes);
  return [
    `**${t('permission.title', { service: ctx.settings.serviceName, app: names.app })}**`,
    developer === undefined
      ? t('permission.asks', names)
      : t('permission.asksBy', { ...names, developer: plain(developer) }),
    ...described.map(({ description, scope }) => `• ${description} (\`${scope}\`)`),
    t('permission.ends', { hours: Math.round(options.ttlSeconds / 3600), command: '`/latchkey apps`' }),
    t('permission.warning'),
  ].join('\n');
}

/** Returns a name without Markdown: it must not become a heading, a link or a separate line. */
function plain(name: string): string {
  const flat = name
    .normalize('NFKC')
    .replace(/[*_~`|>#[\]()<@:"\\]/g, '')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return flat.length <= maxName ? flat : `${flat.slice(0, maxName - 1)}…`;
}
