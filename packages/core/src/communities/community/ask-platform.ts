import { PlatformFailed, type PlatformName } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';

export interface Place {
  platform: PlatformName;
  /** The platform's own id. */
  communityId: string;
}

/** What the platform says about somebody: that they rule the community there, that they do not, or nothing at all. */
export type AdminStatus = { kind: 'yes' } | { kind: 'no' } | { kind: 'unknown'; cause?: PlatformFailed };

/** Asks the platform whether somebody, named by a qualified id, rules a community there. Silence is neither yes nor no. */
export async function askAdminStatus(
  { hosts }: Pick<Context, 'hosts'>,
  { platform, communityId }: Place,
  userId: string,
  signal?: AbortSignal,
): Promise<AdminStatus> {
  const nativeId = nativeUserId(platform, userId);
  if (nativeId === undefined) return { kind: 'no' };
  const host = hosts[platform];
  if (host?.administers === undefined) return { kind: 'unknown' };
  try {
    return { kind: (await host.administers(communityId, nativeId, signal)) ? 'yes' : 'no' };
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    return { kind: 'unknown', cause: error };
  }
}
