import { defineModule } from '../../shared/module.ts';

export type { Once } from './keep-shard.ts';
export { type GatewayOptions, listenToDiscord } from './listen.ts';

export const discordGatewayModule = defineModule('discord-gateway', { tables: ['discord_gateways', 'discord_shards'] });
