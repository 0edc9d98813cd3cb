export { createDiscord, type Discord } from './create-discord.ts';
export { type Gateway, type GatewayOptions, startDiscordGateway } from './gateway/start-gateway.ts';
export type { Time } from './governor/index.ts';
export {
  type SignedInteraction,
  verifyInteraction,
} from './interactions/verify-interaction.ts';
export { createDiscordLogin, type DiscordLoginOptions } from './login/create-discord-login.ts';
export type { DiscordClientOptions } from './rest/create-client.ts';
