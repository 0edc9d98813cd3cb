import { type Fields, fieldsOf, flagOf, listOf, Malformed, textOf } from '@latchkey/adapter-kit';
import type {
  DiscordCreator,
  DiscordIntegration,
  DiscordInvite,
  DiscordOnboarding,
  DiscordOption,
} from '@latchkey/core/ports';
import { snowflakeOf } from './parse-objects.ts';

// What leads into a server and gives roles there. Nothing is skipped here: an entry that cannot be read could be the one
// that gives a role.

/** Throws `Malformed`. */
export function parseInvite(value: unknown): DiscordInvite {
  const invite = fieldsOf(value, 'an invite');
  const code = textOf(invite.code, 'the code of an invite');
  if (!/^[\w-]{1,100}$/.test(code)) throw new Malformed('the code of an invite has other characters');
  const channel = isGiven(invite.channel) ? fieldsOf(invite.channel, 'the channel of an invite') : undefined;
  const [createdAt, expiresAt] = [readTime(invite.created_at), readTime(invite.expires_at)];
  const [uses, maxUses] = [readCount(invite.uses), readCount(invite.max_uses)];
  return {
    code,
    roleIds: isGiven(invite.roles)
      ? listOf(invite.roles, 'the roles of an invite').map((role) => idIn(role, 'a role of an invite'))
      : [],
    ...creatorIn(invite.inviter),
    ...(channel !== undefined && isGiven(channel.name) && { channelName: textOf(channel.name, 'a channel') }),
    ...(createdAt !== undefined && { createdAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(uses !== undefined && { uses }),
    ...(maxUses !== undefined && { maxUses }),
  };
}

/** Throws `Malformed`. */
export function parseOnboarding(value: unknown): DiscordOnboarding {
  const onboarding = fieldsOf(value, 'the onboarding');
  return {
    isEnabled: flagOf(onboarding.enabled, 'whether onboarding is enabled'),
    prompts: promptsIn(onboarding).map((prompt) => ({
      id: idIn(prompt, 'a prompt'),
      title: textOf(prompt.title, 'the title of a prompt'),
      options: optionsIn(prompt).map(parseOption),
    })),
  };
}

const promptsIn = (onboarding: Fields) =>
  listOf(onboarding.prompts, 'the prompts').map((prompt) => fieldsOf(prompt, 'a prompt'));
const optionsIn = (prompt: Fields) =>
  listOf(prompt.options, 'the options of a prompt').map((option) => fieldsOf(option, 'an option'));

function parseOption(option: Fields): DiscordOption {
  return {
    id: idIn(option, 'an option'),
    title: textOf(option.title, 'the title of an option'),
    roleIds: idsIn(option.role_ids, 'the roles of an option'),
    channelIds: idsIn(option.channel_ids, 'the channels of an option'),
  };
}

/**
 * The prompts as Discord wants them back, all of them, without one role of one option; undefined if the option does not
 * give the role. Throws `Malformed`.
 */
export function trimPrompts(value: unknown, optionId: string, roleId: string): Fields[] | undefined {
  let isFound = false;
  const prompts = promptsIn(fieldsOf(value, 'the onboarding')).flatMap((prompt) => {
    const options = optionsIn(prompt).flatMap((option) => {
      const { id, roleIds, channelIds } = parseOption(option);
      const isMeant = id === optionId && roleIds.includes(roleId);
      isFound ||= isMeant;
      const kept = isMeant ? roleIds.filter((one) => one !== roleId) : roleIds;
      // Discord refuses an option that gives nothing.
      if (isMeant && kept.length + channelIds.length === 0) return [];
      const { emoji, ...rest } = option;
      return [{ ...rest, role_ids: kept, ...emojiOf(emoji) }];
    });
    return options.length === 0 ? [] : [{ ...prompt, options }];
  });
  return isFound ? prompts : undefined;
}

/** Discord returns an emoji as an object and takes it in separate fields. */
function emojiOf(value: unknown): Fields {
  if (!isGiven(value)) return {};
  const { id, name, animated } = fieldsOf(value, 'an emoji');
  if (!isGiven(id) && !isGiven(name)) return {};
  return { emoji_id: id ?? null, emoji_name: name ?? null, emoji_animated: animated === true };
}

/** Throws `Malformed`. */
export function parseIntegration(value: unknown): DiscordIntegration {
  const integration = fieldsOf(value, 'an integration');
  const application = isGiven(integration.application) ? fieldsOf(integration.application, 'an application') : {};
  return {
    // Discord gives the integration of a guild's own subscriptions a word instead of an id.
    id: textOf(integration.id, 'the id of an integration'),
    name: textOf(integration.name, 'the name of an integration'),
    type: textOf(integration.type, 'the type of an integration'),
    ...(isGiven(integration.role_id) && { roleId: snowflakeOf(integration.role_id, 'the role of an integration') }),
    ...(isGiven(application.bot) && { botId: idIn(application.bot, 'the bot of an integration') }),
    ...creatorIn(integration.user),
  };
}

function creatorIn(value: unknown): { creator?: DiscordCreator } {
  if (!isGiven(value)) return {};
  const { id, username } = fieldsOf(value, 'a user');
  return { creator: { id: snowflakeOf(id, 'the id of a user'), name: textOf(username, 'the name of a user') } };
}

const idIn = (value: unknown, what: string) => snowflakeOf(fieldsOf(value, what).id, `the id of ${what}`);
const idsIn = (value: unknown, what: string) => listOf(value, what).map((id) => snowflakeOf(id, `an id in ${what}`));

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function readTime(value: unknown): Date | undefined {
  const time = new Date(typeof value === 'string' ? value : Number.NaN);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
