import { intents } from '../intents.ts';
import type { Guild, Integration, Snowflake, User } from './types.ts';
import type { World } from './world.ts';

export interface NewIntegration {
  type: Integration['type'];
  name: string;
  roleId?: Snowflake;
  addedBy?: User;
  application?: Integration['application'];
}

/** Connects a guild to something outside. Its bots are notified that something changed, but not what. */
export function addIntegration(world: World, guild: Guild, fields: NewIntegration): Integration {
  const addedBy = fields.addedBy ?? world.users.get(guild.ownerId);
  if (addedBy === undefined) throw new Error('Nobody added the integration.');
  const integration = { id: world.nextId(), ...fields, addedBy };
  guild.integrations.set(integration.id, integration);
  notifyIntegrations(world, guild);
  return integration;
}

export function removeIntegration(world: World, guild: Guild, id: Snowflake): void {
  if (guild.integrations.delete(id)) notifyIntegrations(world, guild);
}

function notifyIntegrations(world: World, { id }: Guild): void {
  const data = () => ({ guild_id: id });
  world.dispatch({ type: 'GUILD_INTEGRATIONS_UPDATE', intent: intents.integrations, guildId: id, data });
}
