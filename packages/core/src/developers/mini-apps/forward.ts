import { administersCommunity } from '../../communities/access/index.ts';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { askDiscord, holdsOwnButton, keepInteraction } from '../../communities/discord-guilds/index.ts';
import { installedAppIds, selectInstalledApp } from '../../communities/installs/index.ts';
import { findHostedAddress } from '../../identity/hosted-wallets/index.ts';
import type { Context } from '../../shared/context.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { AppFailed } from './call-app.ts';
import { callListed } from './call-listed.ts';
import { handles } from './profile.ts';
import { type MiniAppRow, selectMiniApp } from './queries.ts';

/** An interaction as Discord sent it, and its parsed fields. */
export interface Forwarded {
  raw: Readonly<Record<string, unknown>>;
  /** 2 command, 3 component, 4 autocomplete, 5 form. */
  type: number;
  /** The name of the command, or the custom id of the component or form. */
  name: string;
  applicationId: string;
  token: string;
  userId: string;
}

type Response = Record<string, unknown> & { type: number };

/** Discord waits three seconds for a response, including network latency. */
const promptMs = 2_000;
const [later, laterUpdate, autocompleteResult] = [5, 6, 8];
const onlyForThem = 64;

/**
 * Finds the listed app of a community that an interaction belongs to; the one installed first, if there are several.
 */
export async function findApp(
  ctx: Pick<Context, 'db'>,
  communityId: string,
  { type, name }: Pick<Forwarded, 'type' | 'name'>,
): Promise<MiniAppRow | undefined> {
  for (const id of await installedAppIds(ctx.db.system, communityId)) {
    const app = await selectMiniApp(ctx.db.system, id);
    if (app?.status === 'LISTED' && app.profile !== null && handles(app.profile, type, name)) return app;
  }
  return undefined;
}

/**
 * Forwards an interaction to a mini-app and its response to Discord. An app that takes longer than Discord waits is
 * still awaited: the member sees that a response is pending.
 */
export async function forwardInteraction(
  ctx: Context,
  community: CommunityRow,
  app: MiniAppRow,
  interaction: Forwarded,
  apiToken?: string,
): Promise<Response> {
  const userId = userKey('discord', interaction.userId);
  const discordId = typeof interaction.raw.id === 'string' ? interaction.raw.id : undefined;
  const id = await keepInteraction(ctx, interaction, community.id, { appId: app.id, userId, discordId });
  const actionContext = await contextOf(ctx, community, app, userId, id, apiToken);
  // The token of the interaction would let an app act as the bot; it gets an id instead.
  const body = JSON.stringify({ ...interaction.raw, token: '', actionContext });
  const answer = callListed(ctx, app, '/interactions', body).then(readResponse);
  const prompt = await Promise.race([answer.catch(failed(ctx, app)), pause(promptMs)]);
  if (prompt !== undefined) return prompt;
  const isComponent = interaction.type === 3;
  if (interaction.type === 4) return { type: autocompleteResult, data: { choices: [] } };
  void answer
    .catch(failed(ctx, app))
    .then((response) => putIn(ctx, interaction, response))
    .catch((error: unknown) =>
      ctx.log.for('miniapps').warn('Failed to show a late response.', { reason: String(error) }),
    );
  return isComponent ? { type: laterUpdate } : { type: later, data: { flags: onlyForThem } };
}

async function contextOf(
  ctx: Context,
  community: CommunityRow,
  app: MiniAppRow,
  userId: string,
  interactionId: string,
  apiToken: string | undefined,
): Promise<Record<string, unknown>> {
  const wants = (word: string) => app.profile?.requiredContext.includes(word) ?? false;
  return {
    callbackUrl: `${ctx.settings.baseUrl}/discord/webhooks/${interactionId}`,
    ...(apiToken !== undefined && { apiToken }),
    ...(wants('guildName') && { guildName: community.name }),
    ...(wants('isCommunityAdmin') && { isAdmin: await administersCommunity(ctx, community.id) }),
    ...(wants('installationMetadata') && {
      installationMetadata: (await selectInstalledApp(ctx.db.system, community.id, app.id))?.metadata ?? {},
    }),
    ...(wants('gmPassAddress') && { gmPassAddress: await findHostedAddress(ctx.db.system, userId) }),
  };
}

/** Only responses that Discord accepts are passed on; 204, or an empty one, is acknowledged silently. */
function readResponse(answer: unknown): Response {
  const { type, data } = Object(answer ?? {});
  if (answer === undefined) return say('Done.');
  if (typeof type !== 'number' || ![4, 5, 6, 7, 8, 9].includes(type))
    throw new AppFailed('The mini-app sent a response that Discord does not support.');
  if (holdsOwnButton(data)) throw new AppFailed('The mini-app used a button id that is reserved for this server.');
  return { type, ...(typeof data === 'object' && data !== null && { data: quiet(data) }) };
}

/** An app may not ping a whole server as the bot. */
function quiet(data: object): Record<string, unknown> {
  return { ...data, allowed_mentions: { parse: ['users'] } };
}

function failed(ctx: Context, app: MiniAppRow) {
  return (error: unknown): Response => {
    if (!(error instanceof AppFailed)) throw error;
    ctx.log.for('miniapps').info('A mini-app did not respond.', { app: app.id, reason: error.message });
    return say(`${app.name} is not responding. Nothing was changed; try again later.`);
  };
}

function say(content: string): Response {
  return { type: 4, data: { content, flags: onlyForThem, allowed_mentions: { parse: [] } } };
}

async function putIn(ctx: Context, interaction: Forwarded, { data }: Response): Promise<void> {
  if (typeof data !== 'object' || data === null) return;
  const message = { ...data };
  await askDiscord(ctx, (discord) => discord.editFollowUp(interaction, '@original', message));
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}
