import { hashSecret } from '@latchkey/db';
import { AppError, addSeconds } from '@latchkey/kernel';
import { giveKudos } from '../../billing/kudos/index.ts';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { interactionTtlSeconds } from '../../communities/discord-guilds/index.ts';
import { issueGuestPass, listGuestPasses } from '../../communities/guest-passes/index.ts';
import { noteInteraction } from '../../communities/usage/index.ts';
import {
  answerPermission,
  askPermission,
  type Forwarded,
  findApp,
  forwardInteraction,
  isPermissionButton,
} from '../../developers/mini-apps/index.ts';
import { describeScopes } from '../../developers/oauth2/index.ts';
import {
  deleteUserAuthorization,
  getUserAuthorizations,
  type UserAuthorization,
} from '../../developers/user-authorizations/index.ts';
import { findClientRef } from '../../identity/client-apps/index.ts';
import { burnNonce } from '../../identity/credentials/index.ts';
import { connectLinkMinutes, createConnectLink } from '../../linking/connect-links/index.ts';
import { verifying } from '../../port-guards/index.ts';
import { type Context, contextFor, type Services } from '../../shared/context.ts';
import { adminMessages, messagesIn } from '../../shared/messages/index.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import {
  answerRules,
  type BotAnswer,
  communityOfChangeSet,
  isAdminCommand,
  refusalInWords,
  requireAdmin,
  runAdminCommand,
} from '../bot-replies/index.ts';
import { answerLater } from './answer-later.ts';
import type { FormName } from './commands.ts';
import { describeForm } from './forms.ts';
import { findForm, type Interaction, type OwnCommand, readInteraction, readOwnCommand } from './interaction.ts';
import type { Part } from './render.ts';
import {
  announce,
  button,
  describeAnswer,
  type InteractionResponse,
  joinMessage,
  linkButton,
  openForm,
  pong,
  say,
  sayParts,
} from './responses.ts';
import { showMyRoles } from './show-my-roles.ts';

/**
 * Responds to an interaction whose origin is verified: it came over the gateway, or with a valid signature from
 * Discord. Each is handled once; a duplicate is refused.
 */
export async function handleInteraction(services: Services, body: unknown): Promise<InteractionResponse> {
  const interaction = readInteraction(body);
  if (interaction === undefined) return say(messagesIn(undefined)('chat.notHere'));
  if (interaction.kind === 'ping') return pong;
  const expiresAt = addSeconds(services.clock(), interactionTtlSeconds);
  const isNew = await burnNonce(services.db.system, hashSecret(`discord-interaction:${interaction.id}`), expiresAt);
  if (!isNew) throw new AppError('INVALID_CREDENTIAL', 'This interaction was already answered.');
  const { locale } = interaction;
  const t = messagesIn(locale);
  const ctx = contextFor(
    { ...services, locale },
    {
      kind: 'user',
      userId: userKey('discord', interaction.userId),
      platform: 'discord',
      ...(interaction.userName === undefined ? {} : { name: interaction.userName }),
      scopes: ['$all'],
      credential: 'chat-command',
    },
  );
  try {
    return await answer(ctx, interaction, body);
  } catch (error) {
    if (error instanceof AppError) return say(refusalInWords(error, t));
    ctx.log.error('A Discord interaction failed.', { words: interaction.words, error: String(error) });
    return say(t('chat.failed'));
  }
}

async function answer(ctx: Context, interaction: Interaction, body: unknown): Promise<InteractionResponse> {
  const { guildId, isOfServer, kind, words } = interaction;
  const t = messagesIn(ctx.locale);
  if (kind === 'command' && words[0] === 'my-roles' && !isOfServer)
    return showMyRoles(ctx, userKey('discord', interaction.userId));
  if (guildId === undefined) return answerPrivately(ctx, interaction);
  const community = await selectCommunity(ctx.db.system, communityKey('discord', guildId));
  if (community === undefined)
    return say(t('discord.notSetUp', { url: `${ctx.settings.baseUrl}/console/communities/new` }));
  await noteInteraction(ctx.db.system, community.id, kind === 'command' ? 'command' : 'button', ctx.clock());
  if (words[0] !== 'latchkey') return forward(ctx, community, interaction, body);
  const form = findForm(interaction);
  if (form !== undefined) return ask(ctx, community, form, interaction.options);
  const own = readOwnCommand(interaction);
  if (own === undefined) return say(t('chat.unknownCommand'));
  if (own.word === 'permit' || own.word === 'refuse') {
    const decision = { secret: own.input.secret ?? '', isAllowed: own.word === 'permit' };
    return answerPermission(ctx, community, forwardedOf(interaction, body), decision);
  }
  return run(ctx, community, own, { ...interaction, options: own.input });
}

/**
 * Admins who are notified of a change set in a private message can decide there: the change set determines the
 * community.
 */
async function answerPrivately(ctx: Context, interaction: Interaction): Promise<InteractionResponse> {
  const own = interaction.words[0] === 'latchkey' ? readOwnCommand(interaction) : undefined;
  if (own?.input.id === undefined || !isAdminCommand(own.word))
    return say(messagesIn(ctx.locale)('discord.useInServer'));
  return describeAnswer(
    await runAdminCommand(ctx, await communityOfChangeSet(ctx, own.input.id), own.word, changeSetWords(own)),
  );
}

function changeSetWords({ input: { id = '', count } }: OwnCommand): string[] {
  return [id, ...(count === undefined ? [] : [count])];
}

/** Interactions that are not for the bot itself are for one of the community's mini-apps. */
async function forward(
  ctx: Context,
  community: CommunityRow,
  interaction: Interaction,
  body: unknown,
): Promise<InteractionResponse> {
  const forwarded = forwardedOf(interaction, body);
  if (isPermissionButton(forwarded.name)) return askPermission(ctx, community, forwarded);
  const app = await findApp(ctx, community.id, forwarded);
  return app === undefined
    ? say(messagesIn(ctx.locale)('chat.unknownCommand'))
    : forwardInteraction(ctx, community, app, forwarded);
}

function forwardedOf({ name, applicationId, token, userId }: Interaction, body: unknown): Forwarded {
  const raw = Object(body);
  return { raw, type: Number(raw.type), name, applicationId, token, userId };
}

async function run(
  ctx: Context,
  community: CommunityRow,
  own: OwnCommand,
  interaction: Interaction,
): Promise<InteractionResponse> {
  const { word: command } = own;
  if (command === 'join') return join(ctx, community, interaction);
  if (command === 'apps') return showAllowedApps(ctx);
  if (command === 'forbid') return forbidApp(ctx, interaction);
  if (command === 'kudos') return thank(ctx, community, interaction);
  if (command === 'roles' || command === 'check') return answerLater(ctx, community, interaction, command);
  const admin = Object.hasOwn(adminCommands, command) ? adminCommands[command] : undefined;
  if (admin !== undefined) return answerAdminCommand(ctx, community, admin, interaction);
  return isAdminCommand(command)
    ? describeAnswer(await runAdminCommand(ctx, community, command, changeSetWords(own)))
    : say(messagesIn(ctx.locale)('chat.unknownCommand'));
}

/** Opens a form. Discord takes it only as the first response, so it is drawn from what is stored here. */
async function ask(
  ctx: Context,
  community: CommunityRow,
  form: FormName,
  given: Interaction['options'],
): Promise<InteractionResponse> {
  if (form !== 'kudos') await requireAdmin(ctx, community.id);
  if (form === 'guest' && (await listGuestPasses(ctx, { guildId: community.id })).length === 0)
    return say(adminMessages('guest.noPasses'));
  return openForm(await describeForm(ctx, community.id, form, given));
}

/** A message lists only some of many rules, so it has a button to search all of them. */
function withSearch(rules: BotAnswer): BotAnswer {
  if (rules.text === adminMessages('health.noRules')) return rules;
  const search = { label: adminMessages('form.findRule'), words: ['find_rule'] };
  return { ...rules, buttons: [...rules.buttons, search] };
}

/** Gives kudos and posts it in the channel, without pinging anyone. */
async function thank(
  ctx: Context,
  community: Pick<CommunityRow, 'id'>,
  { userId, options, guildLocale }: Pick<Interaction, 'userId' | 'options' | 'guildLocale'>,
): Promise<InteractionResponse> {
  const { user = '', type = '', text = '' } = options;
  const { kind, words } = await giveKudos(ctx, {
    communityId: community.id,
    toUserId: userKey('discord', user),
    kind: type,
    words: text,
  });
  const t = messagesIn(guildLocale);
  return announce(t('discord.kudos', { giver: `<@${userId}>`, receiver: `<@${user}>`, kind, words }));
}

/** Creates a link to the page that connects a wallet, shown only to the member. */
async function join(
  ctx: Context,
  community: Pick<CommunityRow, 'id'>,
  { userId, userName }: Pick<Interaction, 'userId' | 'userName'>,
): Promise<InteractionResponse> {
  const person = { userId: userKey('discord', userId), platform: 'discord', name: userName };
  const { url } = await createConnectLink(ctx, person, { communityId: community.id, withPasskeys: true });
  const t = messagesIn(ctx.locale);
  return say(t('discord.connect', { minutes: connectLinkMinutes, service: ctx.settings.serviceName }), [
    linkButton(t('discord.connectButton'), url),
  ]);
}

type AdminCommand = (ctx: Context, community: CommunityRow, interaction: Interaction) => Promise<InteractionResponse>;

/** Commands for admins that Discord has in addition to those of every platform, or answers in its own way. */
const adminCommands: Readonly<Record<string, AdminCommand>> = {
  why: async (ctx, community, interaction) => answerLater(ctx, community, interaction, 'why'),
  health: async (ctx, community) => describeAnswer(withSearch(await answerRules(ctx, community))),
  find_rule: async (ctx, community, { options }) =>
    describeAnswer(withSearch(await answerRules(ctx, community, options.words))),
  setup: async (ctx, _community, { guildLocale }) => ({ type: 4, data: joinMessage(ctx, guildLocale) }),
  guest: async (ctx, community, { options }) => {
    const passes = await listGuestPasses(ctx, { guildId: community.id });
    const pass = passes.find(({ id, name }) => id === options.pass || name === options.pass);
    const names = passes.map(({ name }) => name).join(', ');
    if (pass?.id === undefined)
      return say(
        names === '' ? adminMessages('guest.noPasses') : adminMessages('guest.passNotFound', { passes: names }),
      );
    const userId = userKey('discord', options.user ?? '');
    const { endsAt } = await issueGuestPass(ctx, { guildId: community.id, passId: pass.id, userId });
    const until = `<t:${Math.floor(endsAt.getTime() / 1000)}:f>`;
    return say(adminMessages('guest.given', { member: `<@${options.user}>`, pass: pass.name ?? pass.id, until }));
  },
};

async function answerAdminCommand(
  ctx: Context,
  community: CommunityRow,
  command: AdminCommand,
  interaction: Interaction,
): Promise<InteractionResponse> {
  await requireAdmin(ctx, community.id);
  return command(ctx, community, interaction);
}

/** How many apps get a button in the message; the rest follow once one of them is revoked. */
const maxShown = 5;

/** Shows a user which applications may act for them, each with a button to revoke it. */
async function showAllowedApps(ctx: Context): Promise<InteractionResponse> {
  const { items, paginationToken } = await getUserAuthorizations(ctx, { limit: maxShown });
  const t = messagesIn(ctx.locale);
  if (items.length === 0) return say(t('apps.none'));
  const shown = await Promise.all(items.map((one) => describe(ctx, one)));
  const more = paginationToken === undefined ? [] : [t('apps.more', { count: maxShown })];
  return sayParts([{ text: t('apps.list') }, ...shown, ...more.map((text) => ({ text }))]);
}

/** Revokes an application's access, and ends its tokens for this user. */
async function forbidApp(ctx: Context, { options }: Pick<Interaction, 'options'>): Promise<InteractionResponse> {
  const clientId = options.app ?? '';
  const name = await nameOf(ctx, clientId);
  await deleteUserAuthorization(ctx, { clientId });
  return say(messagesIn(ctx.locale)('apps.revoked', { name }));
}

async function describe(
  ctx: Context,
  { clientApplicationId: clientId = '', scopes = [] }: UserAuthorization,
): Promise<Part> {
  const [name, described] = await Promise.all([nameOf(ctx, clientId), describeScopes(ctx, scopes)]);
  const words = described.map(({ description }) => description).join('; ');
  return {
    text: `**${name}**: ${words}`,
    beside: button(messagesIn(ctx.locale)('apps.revoke', { name }), `latchkey:forbid:${clientId}`),
  };
}

async function nameOf(ctx: Pick<Context, 'db' | 'locale'>, clientId: string): Promise<string> {
  const found = await findClientRef(ctx.db.pool, clientId);
  return found?.client.name ?? messagesIn(ctx.locale)('apps.unnamed', { id: clientId });
}

/** A request to the interactions URL, as received. */
export interface InteractionRequest {
  signature: string | undefined;
  timestamp: string | undefined;
  rawBody: Uint8Array;
}

/** The route that Discord posts interactions to; the server mounts it with the raw body and without authentication. */
export const interactionsRoute = { method: 'POST', path: '/discord/interactions', maxBodyBytes: 256 * 1024 } as const;

/** Responds to a request to that URL. Throws for unsigned, replayed and malformed interactions. */
export async function serveInteraction(
  services: Services,
  verify: (request: InteractionRequest) => boolean,
  request: InteractionRequest,
): Promise<Record<string, unknown>> {
  if (!(await verifying(services, 'discord-interactions', () => verify(request))))
    throw new AppError('INVALID_CREDENTIAL', 'The signature is not from Discord.');
  return handleInteraction(services, parse(request.rawBody));
}

function parse(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(rawBody).toString('utf8'));
  } catch {
    throw new AppError('INVALID_BODY', 'The body is not valid JSON.');
  }
}
