export { createDiscord, type Discord, type DiscordOptions } from './create-discord.ts';
export { createDiscordGateway, type GatewayOptions } from './gateway/create-gateway.ts';
export type { Time } from './governor/index.ts';
