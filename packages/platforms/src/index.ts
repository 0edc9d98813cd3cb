// Without the bots of Discord and Telegram: their libraries are large, and have their own entry points, loaded only where they are
// configured.
export { type SignedInteraction, verifyInteraction } from './discord/interactions/verify-interaction.ts';
export type { DiscordLoginOptions } from './discord/login/discord-oauth.ts';
export { createDiscordLogin } from './discord/login/discord-oauth.ts';
export * from './reddit/index.ts';
export * from './x/index.ts';
