import { feature } from '../../shared/feature.ts';

export type { Once } from './keep-shard.ts';
export { type GatewayOptions, listenToDiscord } from './listen.ts';

export const discordGatewayFeature = feature('discord-gateway', { tables: ['discord_gateways', 'discord_shards'] });
