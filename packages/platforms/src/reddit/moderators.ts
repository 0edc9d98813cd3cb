import { fieldsOf, listOf, nameOf } from '@latchkey/adapter-kit';
import { isObject } from '@latchkey/kernel';
import type { RedditCaller } from './client.ts';
import { notUnderstood, readList } from './read-members.ts';

export interface Moderator {
  name: string;
  /** Reddit's permission names: `all`, `access` (manage users), `config` (manage settings), `flair`, `mail`, `posts` … */
  permissions: readonly string[];
}

/** Whether a moderator may change the settings of the subreddit or who has access; others only moderate content. */
export function rulesSubreddit({ permissions }: Pick<Moderator, 'permissions'>): boolean {
  return permissions.some((permission) => ['all', 'config', 'access'].includes(permission));
}

export async function administersSubreddit(
  caller: RedditCaller,
  { subreddit, userName }: { subreddit: string; userName: string },
  signal?: AbortSignal,
): Promise<boolean> {
  const { moderators, malformed } = await readModerators(caller, subreddit, signal);
  const name = userName.toLowerCase();
  const found = moderators.find((moderator) => moderator.name.toLowerCase() === name);
  if (found === undefined && malformed > 0) throw notUnderstood();
  return found !== undefined && rulesSubreddit(found);
}

/** Returns the moderators of a subreddit, the most senior one first. Reddit lists all of them at once. */
export async function readModerators(
  caller: RedditCaller,
  subreddit: string,
  signal?: AbortSignal,
): Promise<{ moderators: Moderator[]; malformed: number }> {
  const answer = await caller.get(`/r/${encodeURIComponent(subreddit)}/about/moderators`, signal);
  const children = isObject(answer) && isObject(answer.data) ? answer.data.children : undefined;
  const about = { source: 'reddit', kind: 'moderator', idOf: ({ name }: Moderator) => name.toLowerCase() };
  const { entries, malformed } = readList(children, about, (value): Moderator => {
    const { name, mod_permissions: permissions } = fieldsOf(value, 'a moderator');
    return {
      name: nameOf(name, 'the name of a moderator'),
      permissions: listOf(permissions, 'the permissions').map((one) => nameOf(one, 'a permission')),
    };
  });
  return { moderators: entries, malformed };
}
