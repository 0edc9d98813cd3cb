import { feature } from '../../feature.ts';

export const discordGatewayFeature = feature('discord-gateway', { tables: ['discord_gateways', 'discord_shards'] });
