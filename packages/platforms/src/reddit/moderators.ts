import { isObject } from '@latchkey/adapter-kit';
import { PlatformFailed } from '@latchkey/core/ports';
import type { RedditCaller } from './client.ts';

export interface Moderator {
  name: string;
  /** Reddit's words: `all`, `access` (manage users), `config` (manage settings), `flair`, `mail`, `posts` … */
  permissions: readonly string[];
}

/** Whether a moderator may change the settings of the subreddit or who is let in; others only tidy up. */
export function rulesSubreddit({ permissions }: Pick<Moderator, 'permissions'>): boolean {
  return permissions.some((permission) => ['all', 'config', 'access'].includes(permission));
}

export async function administersSubreddit(
  caller: RedditCaller,
  { subreddit, userName }: { subreddit: string; userName: string },
  signal?: AbortSignal,
): Promise<boolean> {
  const moderators = await readModerators(caller, subreddit, signal);
  const name = userName.toLowerCase();
  return moderators.some((moderator) => moderator.name.toLowerCase() === name && rulesSubreddit(moderator));
}

/** The moderators of a subreddit, the most senior one first. Reddit lists all of them at once. */
export async function readModerators(
  caller: RedditCaller,
  subreddit: string,
  signal?: AbortSignal,
): Promise<Moderator[]> {
  const answer = await caller.get(`/r/${encodeURIComponent(subreddit)}/about/moderators`, signal);
  if (!isObject(answer) || !isObject(answer.data) || !Array.isArray(answer.data.children))
    throw new PlatformFailed('unavailable', 'Reddit answered in a form that is not understood.', 60);
  return answer.data.children.filter(isObject).map(({ name, mod_permissions: permissions }) => ({
    name: String(name ?? ''),
    permissions: Array.isArray(permissions) ? permissions.map(String) : [],
  }));
}
