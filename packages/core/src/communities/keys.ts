import type { PlatformName } from '../ports/index.ts';

const prefixes: Readonly<Record<PlatformName, string>> = { discord: 'DIS', telegram: 'TEL', reddit: 'RED' };

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
