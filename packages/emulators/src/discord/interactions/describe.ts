import { isFields } from '../fields.ts';
import { allPermissions, permissionsOf } from '../permissions.ts';
import type { Application, Command, Guild, Interaction, Snowflake } from '../state/types.ts';
import type { World } from '../state/world.ts';
import { viewChannel, viewMember, viewMessage, viewRole, viewUser } from '../views.ts';

export type OptionValue = string | number | boolean;

/** What an application is sent of an interaction, whichever way it goes. */
export function describeInteraction(world: World, interaction: Interaction, data: unknown) {
  const { id, application, type, token, user, channel, source } = interaction;
  const guild = channel.guildId === undefined ? undefined : world.guilds.get(channel.guildId);
  const member = guild?.members.get(user.id);
  const self = guild?.members.get(application.bot.id);
  const place =
    guild === undefined || member === undefined
      ? { user: viewUser(user), context: 1, authorizing_integration_owners: { 0: '0' } }
      : {
          guild_id: guild.id,
          guild: { id: guild.id, features: [], locale: 'en-US' },
          guild_locale: 'en-US',
          member: { ...viewMember(member), permissions: String(permissionsOf(guild, member, channel)) },
          context: 0,
          authorizing_integration_owners: { 0: guild.id },
        };
  const appPermissions = guild && self ? permissionsOf(guild, self, channel) : allPermissions;
  return {
    id,
    application_id: application.id,
    type,
    token,
    version: 1,
    data,
    channel_id: channel.id,
    channel: viewChannel(channel),
    locale: 'en-US',
    app_permissions: String(appPermissions),
    entitlements: [],
    attachment_size_limit: 10_485_760,
    ...(source === undefined ? {} : { message: viewMessage(source) }),
    ...place,
  };
}

/** The command that a person finds by its name: the guild's own goes before the one for everywhere. */
export function findCommand(application: Application, name: string, guildId = ''): Command | undefined {
  for (const shelf of [guildId, '']) {
    const found = application.commands
      .get(shelf)
      ?.values()
      .find((command) => command.fields.name === name);
    if (found) return found;
  }
  return undefined;
}

const userOption = 6;
const roleOption = 8;

/**
 * The data of a command as a person types it: `words` are its name and the names of its subcommand. The types of the
 * options come from what the application registered.
 */
export function describeCommand(
  world: World,
  guild: Guild | undefined,
  command: Command,
  words: readonly string[],
  values: Readonly<Record<string, OptionValue>>,
) {
  let declared = optionsOf(command.fields);
  const chain: { name: string; type: number }[] = [];
  for (const name of words) {
    const option = declared.find((one) => one.name === name);
    if (option === undefined) throw new Error(`The command /${String(command.fields.name)} has no subcommand ${name}.`);
    chain.push({ name, type: Number(option.type) });
    declared = optionsOf(option);
  }
  let options: unknown[] = Object.entries(values).map(([name, value]) => {
    const option = declared.find((one) => one.name === name);
    if (option === undefined) throw new Error(`The command /${String(command.fields.name)} has no option ${name}.`);
    return { name, type: Number(option.type), value };
  });
  for (const link of chain.reverse()) options = [{ ...link, options }];
  const resolved = resolve(world, guild, declared, values);
  return {
    id: command.id,
    name: command.fields.name,
    type: 1,
    ...(command.guildId === undefined ? {} : { guild_id: command.guildId }),
    ...(options.length === 0 ? {} : { options }),
    ...(resolved === undefined ? {} : { resolved }),
  };
}

function optionsOf({ options }: Readonly<Record<string, unknown>>) {
  return Array.isArray(options) ? options.filter(isFields) : [];
}

/** People and roles that options name, spelled out. */
function resolve(
  world: World,
  guild: Guild | undefined,
  declared: readonly Readonly<Record<string, unknown>>[],
  values: Readonly<Record<string, OptionValue>>,
) {
  const users: Record<Snowflake, unknown> = {};
  const members: Record<Snowflake, unknown> = {};
  const roles: Record<Snowflake, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const id = String(value);
    const type = declared.find((one) => one.name === name)?.type;
    const user = type === userOption ? world.users.get(id) : undefined;
    const member = type === userOption ? guild?.members.get(id) : undefined;
    const role = type === roleOption ? guild?.roles.get(id) : undefined;
    if (user) users[id] = viewUser(user);
    if (member) members[id] = { ...viewMember(member), user: undefined, permissions: '0' };
    if (role) roles[id] = viewRole(role);
  }
  const isEmpty = [users, roles].every((found) => Object.keys(found).length === 0);
  return isEmpty ? undefined : { users, members, roles };
}
