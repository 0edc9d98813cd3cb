import type { PlatformName } from '../../ports/index.ts';

/** Who owns a community that nobody looks after any more: the operator. */
export const operatorId = '$admin';

const prefixes: Readonly<Record<PlatformName, string>> = { discord: 'DIS', telegram: 'TEL', reddit: 'RED' };
const platformsByPrefix: ReadonlyMap<string, PlatformName> = new Map([
  ['DIS', 'discord'],
  ['TEL', 'telegram'],
  ['RED', 'reddit'],
]);

/** The qualified id of a community: `DIS#COMM#<guild>`. */
export function communityKey(platform: PlatformName, communityId: string): string {
  return `${prefixes[platform]}#COMM#${communityId}`;
}

/** The qualified id of a user: `DIS#USER#<user>`. */
export function userKey(platform: PlatformName, userId: string): string {
  return `${prefixes[platform]}#USER#${userId}`;
}

/** The platform's own id inside a qualified one, or undefined for what is none of that platform. */
export function nativeUserId(platform: PlatformName, key: string): string | undefined {
  const prefix = `${prefixes[platform]}#USER#`;
  return key.startsWith(prefix) && key.length > prefix.length ? key.slice(prefix.length) : undefined;
}

/** The qualified id of a user, whichever of the two forms is given. */
export function toUserKey(platform: PlatformName, id: string): string {
  return nativeUserId(platform, id) === undefined ? userKey(platform, id) : id;
}

/** The platform and its own id inside a qualified id of a community, or undefined for what is none. */
export function parseCommunityKey(key: string): { platform: PlatformName; communityId: string } | undefined {
  const [, prefix, communityId] = /^(DIS|TEL|RED)#COMM#([-A-Za-z0-9_]{1,64})$/.exec(key) ?? [];
  const platform = platformsByPrefix.get(prefix ?? '');
  return platform === undefined || communityId === undefined ? undefined : { platform, communityId };
}

/** True for the qualified id of a user of any platform. */
export function isUserKey(key: string): boolean {
  return /^(DIS|TEL|RED)#USER#[-A-Za-z0-9_]{1,64}$/.test(key);
}
