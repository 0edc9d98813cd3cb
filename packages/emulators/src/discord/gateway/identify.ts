import { isFields } from '../fields.ts';
import { knownIntents, privilegedIntents } from '../intents.ts';
import type { World } from '../state/world.ts';
import { closeCodes, isOfShard, type Session } from './session.ts';

/** Why the gateway hangs up. */
export interface Refused {
  code: number;
  reason: string;
}

/** Who a bot is, and what it may hear of. */
export function identify(
  world: World,
  said: unknown,
  guildsPerShard: number,
): Pick<Session, 'application' | 'intents' | 'shard'> | Refused {
  const asked = isFields(said) ? said : {};
  const application = world.applicationsByToken.get(String(asked.token).replace(/^Bot /, ''));
  if (application === undefined) return { code: closeCodes.authenticationFailed, reason: 'Authentication failed.' };
  const intents = Number(asked.intents);
  if (!Number.isInteger(intents) || intents < 0 || (intents & ~knownIntents) !== 0) {
    return { code: closeCodes.invalidIntents, reason: 'Invalid intent(s).' };
  }
  if ((intents & privilegedIntents & ~application.privilegedIntents) !== 0) {
    return { code: closeCodes.disallowedIntents, reason: 'Disallowed intent(s).' };
  }
  const [id = 0, count = 1] = Array.isArray(asked.shard) ? asked.shard.map(Number) : [];
  if (!(id >= 0 && id < count)) return { code: closeCodes.invalidShard, reason: 'Invalid shard.' };
  const guilds = [...world.guilds.values()].filter(
    (guild) => guild.members.has(application.bot.id) && isOfShard(guild.id, [id, count]),
  );
  if (guilds.length > guildsPerShard) return { code: closeCodes.shardingRequired, reason: 'Sharding required.' };
  return { application, intents, shard: [id, count] };
}
