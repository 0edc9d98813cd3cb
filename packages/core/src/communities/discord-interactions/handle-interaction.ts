import { hashSecret } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { type Context, contextFor, type Services } from '../../context.ts';
import { burnNonce } from '../../developers/credentials/index.ts';
import { communityOfPlan, isAdminWord, runAdminWord } from '../bot-answers/index.ts';
import { type CommunityRow, communityKey, selectCommunity, userKey } from '../communities/index.ts';
import { interactionTtlSeconds } from '../discord/index.ts';
import { noteInteraction } from '../interactions/index.ts';
import {
  answerPermission,
  askPermission,
  type Forwarded,
  findApp,
  forwardInteraction,
  isPermissionButton,
} from '../miniapps/index.ts';
import { adminCommands, runAdminCommand } from './admin-commands.ts';
import { forbidApp, showAllowedApps } from './allowed-apps.ts';
import { answerLater } from './answer-later.ts';
import { type Interaction, type OwnCommand, readInteraction, readOwnCommand } from './interaction.ts';
import { join } from './join.ts';
import { type InteractionResponse, pong, say } from './responses.ts';
import { sayAnswer } from './show-answer.ts';
import { thank } from './thank.ts';

/**
 * Answers an interaction whose origin was checked before: it came over the gateway, or with a valid signature of Discord.
 * Each is acted on once; a copy is refused.
 */
export async function handleInteraction(services: Services, body: unknown): Promise<InteractionResponse> {
  const interaction = readInteraction(body);
  if (interaction === undefined) return say('This cannot be done here.');
  if (interaction.kind === 'ping') return pong;
  const expiresAt = new Date(services.clock().getTime() + interactionTtlSeconds * 1000);
  const isNew = await burnNonce(services.db.system, hashSecret(`discord-interaction:${interaction.id}`), expiresAt);
  if (!isNew) throw new AppError('INVALID_CREDENTIAL', 'This interaction was answered already.');
  const ctx = contextFor(services, {
    kind: 'user',
    userId: userKey('discord', interaction.userId),
    platform: 'discord',
    ...(interaction.userName === undefined ? {} : { name: interaction.userName }),
    scopes: ['$all'],
    credential: 'chat-command',
  });
  try {
    return await answer(ctx, interaction, body);
  } catch (error) {
    if (error instanceof AppError) return say(error.message);
    ctx.log.error('An interaction of Discord failed.', { words: interaction.words, error: String(error) });
    return say('Something went wrong on our side. Nothing was changed; try again later.');
  }
}

async function answer(ctx: Context, interaction: Interaction, body: unknown): Promise<InteractionResponse> {
  const { guildId, kind, words } = interaction;
  if (guildId === undefined) return answerPrivately(ctx, interaction);
  const community = await selectCommunity(ctx.db.system, communityKey('discord', guildId));
  if (community === undefined)
    return say(`This server is not set up yet. An admin can add it at ${ctx.settings.baseUrl}/console/communities/new`);
  await noteInteraction(ctx.db.system, community.id, kind === 'command' ? 'command' : 'button', ctx.clock());
  if (words[0] !== 'latchkey') return forward(ctx, community, interaction, body);
  const own = readOwnCommand(interaction);
  if (own === undefined) return say('I do not know this one.');
  if (own.word === 'permit' || own.word === 'refuse') {
    const decision = { secret: own.input.secret ?? '', isAllowed: own.word === 'permit' };
    return answerPermission(ctx, community, forwardedOf(interaction, body), decision);
  }
  return run(ctx, community, own, { ...interaction, options: own.input });
}

/** Admins who are told of a plan in a private message decide there: the plan says which community it is about. */
async function answerPrivately(ctx: Context, interaction: Interaction): Promise<InteractionResponse> {
  const own = interaction.words[0] === 'latchkey' ? readOwnCommand(interaction) : undefined;
  if (own?.input.plan === undefined || !isAdminWord(own.word)) return say('Use this in a server.');
  return sayAnswer(await runAdminWord(ctx, await communityOfPlan(ctx, own.input.plan), own.word, planWords(own)));
}

function planWords({ input: { plan = '', count } }: OwnCommand): string[] {
  return [plan, ...(count === undefined ? [] : [count])];
}

/** What is not for the bot itself is for one of the mini-apps of the community. */
async function forward(
  ctx: Context,
  community: CommunityRow,
  interaction: Interaction,
  body: unknown,
): Promise<InteractionResponse> {
  const forwarded = forwardedOf(interaction, body);
  if (isPermissionButton(forwarded.name)) return askPermission(ctx, community, forwarded);
  const app = await findApp(ctx, community.id, forwarded);
  return app === undefined ? say('I do not know this one.') : forwardInteraction(ctx, community, app, forwarded);
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
  if (isAdminWord(command)) return sayAnswer(await runAdminWord(ctx, community, command, planWords(own)));
  const admin = Object.hasOwn(adminCommands, command) ? adminCommands[command] : undefined;
  return admin === undefined ? say('I do not know this one.') : runAdminCommand(ctx, community, admin, interaction);
}
