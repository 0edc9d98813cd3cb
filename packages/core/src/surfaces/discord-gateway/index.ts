import { defineModule } from '../../shared/module.ts';

export { type GatewayOptions, listenToDiscord, type Once } from './listen.ts';
export { shardMetrics } from './metrics.ts';
export { selectHeldShards } from './queries.ts';

export const discordGatewayModule = defineModule('discord-gateway', { tables: ['discord_gateways', 'discord_shards'] });
