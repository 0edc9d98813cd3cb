import { type AppProfile, interactionTypes } from './profile.ts';

const nowhere = '0';
const [subcommand, subcommandGroup] = [1, 2];
const sampleValues: Readonly<Record<number, unknown>> = { 4: 0, 5: false, 10: 0 };

/** An event about a server that does not exist. */
export function probeEvent(now: Date): string {
  return JSON.stringify({ event: 'install', guildId: nowhere, timestamp: now.getTime() });
}

/**
 * Returns an interaction of a server that does not exist. Autocomplete only requests suggestions and so changes
 * nothing. It has the shape of the app's own first command, including subcommands: published templates crash if these
 * are missing.
 */
export function probeInteraction({ commands }: Pick<AppProfile, 'commands'>): string {
  const [command = {}] = commands;
  const user = { id: nowhere, username: 'probe', discriminator: '0', avatar: null };
  return JSON.stringify({
    id: nowhere,
    application_id: nowhere,
    type: interactionTypes.autocomplete,
    token: '',
    version: 1,
    guild_id: nowhere,
    channel_id: nowhere,
    member: { user, roles: [], permissions: '0' },
    user,
    data: { id: nowhere, type: 1, name: String(command.name ?? 'probe'), options: optionsOf(command) },
    actionContext: {},
  });
}

function optionsOf({ options }: Readonly<Record<string, unknown>>): unknown[] {
  const described: Readonly<Record<string, unknown>>[] = Array.isArray(options) ? options.map(Object) : [];
  const nested = described.find(({ type }) => type === subcommand || type === subcommandGroup);
  if (nested !== undefined) return [{ type: nested.type, name: nested.name, options: optionsOf(nested) }];
  return described
    .filter(({ required }) => required === true)
    .map(({ type, name }) => ({ type, name, value: sampleValues[Number(type)] ?? nowhere }));
}
