import type { Params } from '../http/router.ts';
import type { Misbehaviours } from '../misbehave.ts';
import { invalidField, refusal } from './errors.ts';
import type { Fields } from './fields.ts';
import type { BucketName } from './limits/limits.ts';
import { can, type PermissionName, permissionsOf } from './permissions.ts';
import type { Reply } from './reply.ts';
import { isSnowflake } from './snowflake.ts';
import type { Application, Bearer, Channel, Guild, Member, Snowflake } from './state/types.ts';
import type { World } from './state/world.ts';

/** The owner of a request's credential. */
export type Actor =
  | { kind: 'bot'; application: Application }
  | ({ kind: 'user' } & Bearer)
  | { kind: 'client'; application: Application }
  | { kind: 'nobody' };

/** One accepted request. */
export interface Call {
  world: World;
  actor: Actor;
  /** `METHOD /pattern` of the route. */
  label: string;
  params: Params;
  query: URLSearchParams;
  /** The fields of the body. A list is stored under `list`. */
  body: Fields;
  list: readonly unknown[] | undefined;
  /** From X-Audit-Log-Reason. */
  reason: string | undefined;
  misbehaviours: Misbehaviours;
  /** Records that the call changed nothing: a client that knows the state would not have made it. */
  changedNothing(): void;
  /** Records that success was returned but nothing done. */
  lostWrite(): void;
}

export interface Route {
  bucket: BucketName;
  /** Whether callers need no credential, because a token is in the path or the body. */
  isOpen: boolean;
  handle: (call: Call) => Reply | Promise<Reply>;
}

/** Registers a route. */
export type Define = (
  label: string,
  bucket: BucketName,
  handle: (call: Call) => Reply | Promise<Reply>,
  options?: { isOpen?: boolean },
) => void;

export function paramOf(call: Call, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw new Error(`The path of ${call.label} has no ${name}.`);
  return value;
}

/** Returns an id of the path. Discord refuses other text as an invalid form. */
export function idOf(call: Call, name: string): Snowflake {
  const value = paramOf(call, name);
  if (isSnowflake(value)) return value;
  throw invalidField(`${name}_id`, 'NUMBER_TYPE_COERCE', `Value "${value}" is not snowflake.`);
}

export function botOf(call: Call): Application {
  if (call.actor.kind !== 'bot') throw refusal('unauthorized');
  return call.actor.application;
}

export interface Here {
  guild: Guild;
  /** The bot as a member of the guild. */
  self: Member;
}

/** Returns the guild of the path, if the bot is in it. */
export function guildOf(call: Call): Here {
  const bot = botOf(call);
  const guild = call.world.guilds.get(idOf(call, 'guild'));
  if (guild === undefined) throw refusal('unknownGuild');
  if (guild.isUnavailable) throw refusal('serverError');
  const self = guild.members.get(bot.bot.id);
  if (self === undefined) throw refusal('missingAccess');
  return { guild, self };
}

export function memberOf(call: Call, guild: Guild): Member {
  const userId = idOf(call, 'user');
  const member = guild.members.get(userId);
  if (member) return member;
  throw refusal(call.world.users.has(userId) ? 'unknownMember' : 'unknownUser');
}

export function need({ guild, self }: Here, name: PermissionName, channel?: Channel): void {
  if (!can(permissionsOf(guild, self, channel), name)) throw refusal('missingPermissions');
}
