export { createDiscord, type Discord } from './create-discord.ts';
export { type Gateway, type GatewayOptions, startDiscordGateway } from './gateway/start-gateway.ts';
export type { Time } from './governor/index.ts';
export type { DiscordClientOptions } from './rest/create-client.ts';
