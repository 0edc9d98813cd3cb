import { GatewayCloseCodes } from 'discord-api-types/v10';

/**
 * Close codes after which Discord documents "reconnect: false"; each needs a change by a person.
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
const fatalReasons: ReadonlyMap<number, string> = new Map([
  [GatewayCloseCodes.AuthenticationFailed, 'Authentication failed: the bot token is not valid.'],
  [GatewayCloseCodes.InvalidShard, 'Invalid shard: the shard number does not fit the shard count.'],
  [GatewayCloseCodes.ShardingRequired, 'Sharding required: the bot is in too many servers for this shard count.'],
  [GatewayCloseCodes.InvalidAPIVersion, 'Invalid API version.'],
  [GatewayCloseCodes.InvalidIntents, 'Invalid intents.'],
  [
    GatewayCloseCodes.DisallowedIntents,
    'Disallowed intents: switch on the Server Members Intent of the bot in the Discord developer portal.',
  ],
]);

/** Why Discord refuses the shard for good; undefined for codes after which it may reconnect. */
export function fatalReason(code: number): string | undefined {
  return fatalReasons.get(code);
}

/** WebSocket's own codes for a deliberate goodbye; Discord ends the session with them. */
const goodbye: readonly number[] = [1000, 1001];

/** Codes after which the session is gone, so that a new one must begin. All others may resume. */
const newSession: ReadonlySet<number> = new Set([
  ...goodbye,
  GatewayCloseCodes.NotAuthenticated,
  GatewayCloseCodes.InvalidSeq,
  GatewayCloseCodes.SessionTimedOut,
]);

export function endsSession(code: number): boolean {
  return newSession.has(code) || fatalReasons.has(code);
}
