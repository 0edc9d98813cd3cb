import { type Call, type Define, guildOf, type Here, idOf, need } from '../call.ts';
import { invalidField, refusal } from '../errors.ts';
import {
  type Fields,
  isFields,
  readFlag,
  readIds,
  readList,
  readNumber,
  readRequiredText,
  readText,
} from '../fields.ts';
import { noContent, ok, type Reply } from '../reply.ts';
import { isSnowflake } from '../snowflake.ts';
import { removeIntegration } from '../state/integrations.ts';
import { removeMember } from '../state/members.ts';
import type { Onboarding, OnboardingOption, OnboardingPrompt } from '../state/types.ts';
import { viewIntegration, viewOnboarding } from '../views.ts';

const leastChannels = 7;
const mostIntegrations = 50;

/** How members and roles come into a guild without a bot: onboarding and integrations. */
export function defineOnboarding(define: Define): void {
  define('GET /guilds/:guild/onboarding', 'other', (call) => ok(viewOnboarding(guildOf(call).guild)));
  define('PUT /guilds/:guild/onboarding', 'other', changeOnboarding);
  define('GET /guilds/:guild/integrations', 'other', listIntegrations);
  define('DELETE /guilds/:guild/integrations/:integration', 'other', deleteIntegration);
}

/** Fields that are missing stay as they are; a prompt or an option that is missing from a list is removed. */
function changeOnboarding(call: Call): Reply {
  const here = guildOf(call);
  need(here, 'MANAGE_GUILD');
  need(here, 'MANAGE_ROLES');
  const { onboarding } = here.guild;
  const prompts = readList(call.body, 'prompts')?.map((value, at) => readPrompt(call, here, value, `prompts.${at}`));
  const next: Onboarding = {
    isEnabled: readFlag(call.body, 'enabled') ?? onboarding.isEnabled,
    mode: readNumber(call.body, 'mode') ?? onboarding.mode,
    defaultChannelIds: readIds(call.body, 'default_channel_ids') ?? onboarding.defaultChannelIds,
    prompts: prompts ?? onboarding.prompts,
  };
  if (next.isEnabled && next.mode === 0 && next.defaultChannelIds.length < leastChannels)
    throw invalidField('default_channel_ids', 'ONBOARDING_REQUIREMENTS', 'Must have at least 7 default channels.');
  Object.assign(onboarding, next);
  return ok(viewOnboarding(here.guild));
}

function readPrompt(call: Call, here: Here, value: unknown, path: string): OnboardingPrompt {
  if (!isFields(value)) throw invalidField(path, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
  const options = (readList(value, 'options') ?? []).map((option, at) =>
    readOption(call, here, option, `${path}.options.${at}`),
  );
  if (options.length === 0) throw invalidField(`${path}.options`, 'BASE_TYPE_REQUIRED', 'This field is required');
  return {
    id: readId(value, `${path}.id`),
    title: readRequiredText(value, 'title'),
    isSingle: readFlag(value, 'single_select') ?? false,
    isRequired: readFlag(value, 'required') ?? false,
    isInOnboarding: readFlag(value, 'in_onboarding') ?? false,
    type: readNumber(value, 'type') ?? 0,
    options,
  };
}

function readOption(call: Call, { guild }: Here, value: unknown, path: string): OnboardingOption {
  if (!isFields(value)) throw invalidField(path, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
  const roleIds = readIds(value, 'role_ids') ?? [];
  const channelIds = readIds(value, 'channel_ids') ?? [];
  for (const id of roleIds) if (!guild.roles.has(id)) throw refusal('unknownRole');
  for (const id of channelIds) if (!guild.channels.has(id)) throw refusal('unknownChannel');
  if (roleIds.length + channelIds.length === 0)
    throw invalidField(path, 'ONBOARDING_OPTION_EMPTY', 'Options must have at least one role or channel.');
  return {
    id: isSnowflake(value.id) ? value.id : call.world.nextId(),
    title: readRequiredText(value, 'title', 50),
    description: readText(value, 'description', 100) ?? null,
    roleIds,
    channelIds,
    emojiName: readText(value, 'emoji_name') ?? null,
  };
}

function readId(fields: Fields, path: string): string {
  if (isSnowflake(fields.id)) return fields.id;
  throw invalidField(path, 'BASE_TYPE_REQUIRED', 'This field is required');
}

function listIntegrations(call: Call): Reply {
  const here = guildOf(call);
  need(here, 'MANAGE_GUILD');
  return ok([...here.guild.integrations.values()].slice(0, mostIntegrations).map(viewIntegration));
}

/** The bot of a deleted integration leaves the guild. */
function deleteIntegration(call: Call): Reply {
  const here = guildOf(call);
  need(here, 'MANAGE_GUILD');
  const integration = here.guild.integrations.get(idOf(call, 'integration'));
  if (integration === undefined) throw refusal('unknownIntegration');
  removeIntegration(call.world, here.guild, integration.id);
  if (integration.application !== undefined) removeMember(call.world, here.guild, integration.application.bot.id);
  return noContent;
}
