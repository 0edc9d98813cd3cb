import { DiscordError } from '../errors.ts';
import { isFields } from '../fields.ts';
import { allPermissions, can, permissionsOf } from '../permissions.ts';
import type { Application, Channel, Command, Guild, Interaction, Message, Snowflake, User } from '../state/types.ts';
import type { World } from '../state/world.ts';
import { viewChannel, viewMember, viewMessage, viewRole, viewUser } from '../views.ts';
import { type Entries, fillForm, findOpenForm } from './fill-form.ts';
import { respond } from './respond.ts';
import { postSigned } from './sign.ts';

interface Where {
  userId: Snowflake;
  channelId: Snowflake;
  application?: Application;
  /** The languages of the person and of the guild; English without them. */
  locale?: string;
  guildLocale?: string;
}

/** What a user does: runs a command, presses a button, picks from a menu or submits a form. */
export type Press = Where &
  (
    | { command: string; options?: Readonly<Record<string, OptionValue>> }
    | { messageId: Snowflake; customId: string; values?: readonly string[] }
    | { modal: string; fields: Entries }
  );

/** What the user then sees. */
export interface Pressed {
  /** The application's first response, unchanged. */
  answer: NonNullable<Interaction['answer']>;
  token: string;
  /** Returns the resulting message in its current state. It changes while the application continues. */
  message(): Message | undefined;
  followUps(): readonly Message[];
}

interface Prepared {
  type: number;
  name: string;
  data: unknown;
  source?: Message;
}

/** Performs the action as the user, and waits for the first response. Throws what the user would see as a failure. */
export async function press(world: World, ownApplication: Application, what: Press): Promise<Pressed> {
  const { application = ownApplication } = what;
  const user = world.users.get(what.userId);
  const channel = world.channels.get(what.channelId);
  if (user === undefined || channel === undefined) throw new Error('The emulator has no such person or channel.');
  checkPresence(world, user, channel);
  const { data, ...rest } = prepare(world, application, channel, what);
  const interaction: Interaction = {
    id: world.nextId(),
    token: world.nextToken('interaction'),
    application,
    user,
    channel,
    createdAtMs: world.clock(),
    followUps: [],
    ...rest,
  };
  world.interactions.set(interaction.token, interaction);
  const payload = describeInteraction(world, interaction, data, what);
  await (application.interactionsUrl === undefined
    ? deliverByGateway(world, interaction, payload)
    : deliverByHttp(world, interaction, application.interactionsUrl, payload));
  if (interaction.answer === undefined) throw new Error('The application did not respond.');
  return {
    answer: interaction.answer,
    token: interaction.token,
    message: () => interaction.original,
    followUps: () => interaction.followUps,
  };
}

function checkPresence(world: World, user: User, channel: Channel): void {
  if (channel.guildId === undefined) return;
  const guild = world.guilds.get(channel.guildId);
  const member = guild?.members.get(user.id);
  if (guild === undefined || member === undefined) throw new Error(`${user.username} is not a member of the guild.`);
  if (!can(permissionsOf(guild, member, channel), 'USE_APPLICATION_COMMANDS')) {
    throw new Error(`${user.username} cannot use applications in this channel.`);
  }
}

function prepare(world: World, application: Application, channel: Channel, what: Press): Prepared {
  if ('command' in what) {
    const [name = '', ...words] = what.command.split(' ');
    const command = findCommand(application, name, channel.guildId);
    if (command === undefined) throw new Error(`The application has no command /${name}.`);
    const guild = channel.guildId === undefined ? undefined : world.guilds.get(channel.guildId);
    return { type: 2, name, data: describeCommand(world, guild, command, words, what.options ?? {}) };
  }
  if ('modal' in what) {
    const form = findOpenForm(world.interactions.values(), what.userId, what.modal);
    // A form that another program opened: what it asked for is not known here.
    const inputs = Object.entries(what.fields).map(([custom_id, value]) => ({ type: 4, custom_id, value }));
    const components =
      form === undefined ? inputs.map((input) => ({ type: 1, components: [input] })) : fillForm(form, what.fields);
    return { type: 5, name: '', data: { custom_id: what.modal, components } };
  }
  const source = channel.messages.get(what.messageId) ?? world.sent.find(({ id }) => id === what.messageId);
  const component = source && findComponent(source.components, what.customId);
  if (source === undefined || component === undefined) {
    throw new Error(`The message ${what.messageId} has nothing to press that is called ${what.customId}.`);
  }
  if (component.disabled === true) throw new Error(`The button ${what.customId} is disabled.`);
  const data = {
    custom_id: what.customId,
    component_type: component.type,
    ...(what.values === undefined ? {} : { values: what.values }),
  };
  return { type: 3, name: '', data, source };
}

function findComponent(
  components: readonly unknown[],
  customId: string,
): Readonly<Record<string, unknown>> | undefined {
  for (const component of components) {
    if (!isFields(component)) continue;
    if (component.custom_id === customId) return component;
    const nested = [component.components, component.accessory].flat();
    const found = findComponent(nested, customId);
    if (found) return found;
  }
  return undefined;
}

async function deliverByHttp(world: World, interaction: Interaction, url: string, payload: unknown): Promise<void> {
  const { status, body } = await postSigned(world, interaction.application, url, payload);
  // An application may also respond through the callback route first, and return nothing here.
  if (interaction.answer !== undefined) return;
  if (status !== 200 || !isFields(body)) throw new Error(`The application answered ${status} to the interaction.`);
  try {
    respond(world, interaction, body);
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
    throw new Error(`The application's answer is wrong: ${error.message} ${JSON.stringify(error.errors ?? {})}`);
  }
}

async function deliverByGateway(world: World, interaction: Interaction, payload: unknown): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, world.answerWithinMs);
    interaction.settle = () => {
      clearTimeout(timer);
      resolve();
    };
    world.dispatch({
      type: 'INTERACTION_CREATE',
      intent: 0,
      applicationId: interaction.application.id,
      data: () => payload,
    });
  });
}

type OptionValue = string | number | boolean;

/** Returns the interaction as it is sent to an application, over HTTP or the gateway. */
function describeInteraction(
  world: World,
  interaction: Interaction,
  data: unknown,
  { locale = 'en-US', guildLocale = 'en-US' }: Where,
) {
  const { id, application, type, token, user, channel, source } = interaction;
  const guild = channel.guildId === undefined ? undefined : world.guilds.get(channel.guildId);
  const member = guild?.members.get(user.id);
  const self = guild?.members.get(application.bot.id);
  const place =
    guild === undefined || member === undefined
      ? { user: viewUser(user), context: 1, authorizing_integration_owners: { 0: '0' } }
      : {
          guild_id: guild.id,
          guild: { id: guild.id, features: [], locale: guildLocale },
          guild_locale: guildLocale,
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
    locale,
    app_permissions: String(appPermissions),
    entitlements: [],
    attachment_size_limit: 10_485_760,
    ...(source === undefined ? {} : { message: viewMessage(source) }),
    ...place,
  };
}

/** Finds a command by name: a guild command takes precedence over a global one. */
function findCommand(application: Application, name: string, guildId = ''): Command | undefined {
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
 * Returns the data of a typed command: `words` are its name and the names of its subcommand. The types of the options come from the
 * registered command.
 */
function describeCommand(
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

/** Resolves the users and roles that options refer to. */
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
