export { discordGatewayFeature } from './feature.ts';
export type { Once } from './intake.ts';
export { type GatewayOptions, listenToDiscord } from './listen.ts';
