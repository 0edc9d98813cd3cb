export { createDiscord, type Discord, type DiscordOptions } from './create-discord.ts';
export { type Gateway, type GatewayOptions, startDiscordGateway } from './gateway/start-gateway.ts';
export type { Time } from './governor/index.ts';
