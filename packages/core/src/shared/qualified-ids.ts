import { chatPlatforms, idFormOf, type PlatformName, platformNames } from '@latchkey/kernel';

/** The owner of a community without admins: the operator. */
export const operatorId = '$admin';

/** The pattern of the ids that any platform gives a community, without anchors. */
export const nativeCommunityForm = `(?:${[...new Set(platformNames.map((name) => idFormOf(name, 'community')))].join('|')})`;

const formOf = (kind: 'COMM' | 'USER', of: 'community' | 'user') =>
  new RegExp(
    `^(?:${platformNames.map((name) => `${chatPlatforms[name].prefix}#${kind}#${idFormOf(name, of)}`).join('|')})$`,
  );
const communityForm = formOf('COMM', 'community');
const userForm = formOf('USER', 'user');

/** The qualified id of a community: `DIS#COMM#<guild>`. */
export function communityKey(platform: PlatformName, communityId: string): string {
  return `${chatPlatforms[platform].prefix}#COMM#${communityId}`;
}

/** The qualified id of a user: `DIS#USER#<user>`. */
export function userKey(platform: PlatformName, userId: string): string {
  return `${chatPlatforms[platform].prefix}#USER#${userId}`;
}

/** The platform's own id within a qualified one; undefined if it does not belong to that platform. */
export function nativeUserId(platform: PlatformName, key: string): string | undefined {
  const prefix = userKey(platform, '');
  return key.startsWith(prefix) && key.length > prefix.length ? key.slice(prefix.length) : undefined;
}

/** The qualified id of a user, whichever form is given. */
export function toUserKey(platform: PlatformName, id: string): string {
  return nativeUserId(platform, id) === undefined ? userKey(platform, id) : id;
}

/** The platform and its own id within a qualified community id; undefined if it is not one. */
export function parseCommunityKey(key: string): { platform: PlatformName; communityId: string } | undefined {
  if (!communityForm.test(key)) return undefined;
  const [prefix = '', , communityId = ''] = key.split('#');
  const platform = platformNames.find((name) => chatPlatforms[name].prefix === prefix);
  return platform === undefined ? undefined : { platform, communityId };
}

/** Whether it is the qualified id of a user on any platform. */
export function isUserKey(key: string): boolean {
  return userForm.test(key);
}
