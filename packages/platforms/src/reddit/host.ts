import type { Fetch } from '@latchkey/adapter-kit';
import {
  type CommunityPicture,
  type MemberRoles,
  MemberUnreadable,
  type MemberWrite,
  PlatformFailed,
  type RoleHost,
  type WriteOutcome,
} from '@latchkey/core/ports';
import { isObject } from '@latchkey/kernel';
import { downloadPicture } from '../pictures/download.ts';
import { createRedditClient, type RedditCaller, type RedditOptions } from './client.ts';
import { administersSubreddit, readModerators, rulesSubreddit } from './moderators.ts';
import {
  approvedRole,
  type Flairs,
  flairRole,
  flairsShown,
  namesIn,
  noSuchFlair,
  notUnderstood,
  readFlairs,
  templateOf,
  toRoles,
} from './read-members.ts';

export interface RedditHostOptions extends RedditOptions {
  /** For pictures, which Reddit serves from separate hosts. */
  fetchMedia: typeof globalThis.fetch;
  /** Returns the permanent token of a moderator of this subreddit, if one was linked. */
  refreshTokenOf(subreddit: string): Promise<string | undefined>;
}

const pageSize = 1000;

/**
 * Creates the role host of subreddits. Each user flair is a role, of which Reddit shows one at a time, and being an approved user is
 * another. Communities and users are identified by name.
 */
export function createRedditHost(options: RedditHostOptions): RoleHost {
  const open = createRedditClient(options);
  const callerOf = async (subreddit: string): Promise<RedditCaller> => {
    const token = await options.refreshTokenOf(subreddit);
    if (token === undefined) throw new PlatformFailed('not-configured', 'No moderator has linked this subreddit yet.');
    return open(token);
  };
  return {
    platform: 'reddit',
    writesAtOnce: 1,
    listsEveryone: false,
    readRoles: async (subreddit, signal) =>
      toRoles((await readFlairs(await callerOf(subreddit), subreddit, signal)).known),
    readMember: async (subreddit, userName, signal) => {
      const caller = await callerOf(subreddit);
      return readOne(caller, subreddit, userName, await readFlairs(caller, subreddit, signal), signal);
    },
    readMembers: (subreddit, signal) => readAll(callerOf, subreddit, signal),
    findFaults: async (subreddit, roleIds, signal) => {
      const flairs = await readFlairs(await callerOf(subreddit), subreddit, signal);
      return roleIds.filter((roleId) => isMissing(roleId, flairs)).map((roleId) => ({ ...noSuchFlair, roleId }));
    },
    administers: async (subreddit, userName, signal) =>
      administersSubreddit(await callerOf(subreddit), { subreddit, userName }, signal),
    // Reddit lists moderators by seniority, and the first one can remove all others.
    findOwner: async (subreddit, signal) => {
      const { moderators, malformed } = await readModerators(await callerOf(subreddit), subreddit, signal);
      // A moderator who could not be read may be the first one.
      if (malformed > 0) throw notUnderstood();
      return moderators.find(rulesSubreddit)?.name;
    },
    readPicture: async (subreddit, version, signal) =>
      readIcon(await callerOf(subreddit), { ...options, subreddit, version }, signal),
    // Reddit shows one flair, so of several the topmost in the subreddit's order is granted.
    settle: (roles, roleIds) => {
      const flairs = roles.filter(({ id }) => templateOf(id) !== undefined && roleIds.includes(id));
      const best = flairs.toSorted((a, b) => (b.position ?? 0) - (a.position ?? 0))[0];
      return roleIds.filter((id) => templateOf(id) === undefined || id === best?.id);
    },
    writeMember: async (write, signal) => {
      try {
        return await writeOne(await callerOf(write.communityId), write, signal);
      } catch (error) {
        return outcomeOf(error);
      }
    },
  };
}

/** Returns true for a flair that moderators deleted, and for anything that was never a role of a subreddit. */
function isMissing(roleId: string, { known, isPartial }: Flairs): boolean {
  return !isPartial && !toRoles(known).some(({ id }) => id === roleId);
}

async function readOne(
  caller: RedditCaller,
  subreddit: string,
  userName: string,
  flairs: Flairs,
  signal?: AbortSignal,
): Promise<MemberRoles> {
  const path = `/r/${encodeURIComponent(subreddit)}`;
  const name = encodeURIComponent(userName);
  const [shown, approved] = await Promise.all([
    caller.get(`${path}/api/flairlist?name=${name}`, signal),
    caller.get(`${path}/about/contributors?user=${name}`, signal),
  ]);
  const { shown: byName, malformed } = flairsShown(shown, flairs);
  const approval = namesIn(approved);
  if (malformed + approval.malformed > 0) throw new MemberUnreadable('Reddit sent a member that could not be read.');
  const flair = byName.get(userName.toLowerCase())?.roleId;
  const isApproved = approval.names.some((known) => known.toLowerCase() === userName.toLowerCase());
  return { userId: userName, userName, roleIds: [...(flair ? [flair] : []), ...(isApproved ? [approvedRole] : [])] };
}

async function* readAll(
  callerOf: (subreddit: string) => Promise<RedditCaller>,
  subreddit: string,
  signal?: AbortSignal,
): AsyncIterable<readonly MemberRoles[]> {
  const caller = await callerOf(subreddit);
  const flairs = await readFlairs(caller, subreddit, signal);
  const path = `/r/${encodeURIComponent(subreddit)}`;
  const approved = new Map<string, string>();
  let isPartial = false;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const answer = namesIn(await caller.get(`${path}/about/contributors?limit=100&after=${after}`, signal));
    for (const name of answer.names) approved.set(name.toLowerCase(), name);
    isPartial ||= answer.malformed > 0;
    after = answer.after === after ? undefined : answer.after;
  }
  let isFlairPartial = false;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const answer = await caller.get(
      `${path}/api/flairlist?limit=${pageSize}&after=${encodeURIComponent(after)}`,
      signal,
    );
    const { shown, malformed, next } = flairsShown(answer, flairs);
    isFlairPartial ||= malformed > 0;
    yield [...shown].flatMap(([key, { name, roleId }]) => {
      const isApproved = approved.delete(key);
      // If the list has malformed entries, only a lookup by name can tell whether a user who is not on it is approved.
      if (isPartial && !isApproved) return [];
      const roleIds = [...(roleId ? [roleId] : []), ...(isApproved ? [approvedRole] : [])];
      return { userId: name, userName: name, roleIds };
    });
    after = next === after ? undefined : next;
  }
  if (!isFlairPartial)
    yield [...approved.values()].map((name) => ({ userId: name, userName: name, roleIds: [approvedRole] }));
}

async function writeOne(caller: RedditCaller, write: MemberWrite, signal?: AbortSignal): Promise<WriteOutcome> {
  const { communityId: subreddit, userId: name } = write;
  const path = `/r/${encodeURIComponent(subreddit)}/api`;
  const flairs = await readFlairs(caller, subreddit, signal);
  const missing = write.add.find((roleId) => isMissing(roleId, flairs));
  if (missing !== undefined) return { kind: 'forbidden', ...noSuchFlair, roleId: missing };
  const before = await readOne(caller, subreddit, name, flairs, signal);
  const wanted = new Set([...before.roleIds, ...write.add]);
  for (const roleId of write.remove) wanted.delete(roleId);
  let calls = 0;
  const post = async (roleId: string, action: string, fields: Record<string, string>) => {
    calls += 1;
    try {
      return await caller.post(`${path}/${action}`, { name, ...fields }, signal);
    } catch (error) {
      // A moderator may be allowed to assign flairs but not to approve users, or the other way round.
      if (error instanceof PlatformFailed && error.kind === 'forbidden') throw new RoleRefused(roleId, error.message);
      throw error;
    }
  };
  const flair = write.add.map(templateOf).find((id) => id !== undefined);
  const shown = before.roleIds.find((id) => templateOf(id) !== undefined);
  if (flair !== undefined && shown !== flairRole(flair))
    await post(flairRole(flair), 'selectflair', { flair_template_id: flair });
  else if (shown !== undefined && write.remove.includes(shown)) await post(shown, 'deleteflair', {});
  if (wanted.has(approvedRole) && !before.roleIds.includes(approvedRole)) {
    if (saysMissing(await post(approvedRole, 'friend', { type: 'contributor' }))) return { kind: 'gone' };
  } else if (!wanted.has(approvedRole) && before.roleIds.includes(approvedRole)) {
    await post(approvedRole, 'unfriend', { type: 'contributor' });
  }
  const after = await readOne(caller, subreddit, name, flairs, signal);
  const isDone =
    write.add.every((id) => after.roleIds.includes(id)) && write.remove.every((id) => !after.roleIds.includes(id));
  if (!isDone)
    return { kind: 'failed', reason: 'Reddit accepted the change, but it did not take effect.', retryAfterSeconds: 5 };
  return { kind: 'written', roleIds: after.roleIds, calls };
}

function saysMissing(answer: unknown): boolean {
  return JSON.stringify(answer ?? '').includes('USER_DOESNT_EXIST');
}

/** Reddit does not let the linked moderator grant or remove this role. */
class RoleRefused extends PlatformFailed {
  readonly roleId: string;

  constructor(roleId: string, message: string) {
    super('forbidden', message);
    this.roleId = roleId;
  }
}

function outcomeOf(error: unknown): WriteOutcome {
  if (error instanceof RoleRefused) return { kind: 'forbidden', roleId: error.roleId, advice: error.message };
  if (!(error instanceof PlatformFailed)) throw error;
  if (error.kind === 'unavailable')
    return {
      kind: 'failed',
      reason: error.message,
      ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
    };
  return { kind: 'forbidden', scope: 'community', fault: 'no-access', advice: error.message };
}

/** Reddit's media hosts. Moderators upload icons, so a URL on another host is not Reddit's. */
const fileHosts = /(^|\.)(redditmedia\.com|redditstatic\.com|redd\.it)$/;

interface IconOptions {
  subreddit: string;
  version: string | undefined;
  apiUrl: string;
  fetch: Fetch;
  /** For pictures that the API does not serve itself. */
  fetchMedia: Fetch;
}

/** Reads the icon of a subreddit, which may be in either of two fields. */
async function readIcon(
  caller: RedditCaller,
  { subreddit, version, apiUrl, fetch, fetchMedia }: IconOptions,
  signal?: AbortSignal,
): Promise<CommunityPicture> {
  const answer = await caller.get(`/r/${encodeURIComponent(subreddit)}/about`, signal);
  const data = isObject(answer) && isObject(answer.data) ? answer.data : {};
  const url = [data.community_icon, data.icon_img].map((value) => addressOf(value, apiUrl)).find(Boolean);
  if (url === undefined) return { kind: 'none' };
  if (url === version) return { kind: 'same' };
  const isAtApi = new URL(url).origin === new URL(apiUrl).origin;
  const bytes = await downloadPicture(isAtApi ? fetch : fetchMedia, url, 'Reddit', signal);
  return { kind: 'picture', version: url, bytes };
}

/** Reddit writes URLs HTML-encoded. */
function addressOf(value: unknown, apiUrl: string): string | undefined {
  if (typeof value !== 'string' || value.length > 500) return undefined;
  const url = URL.parse(value.replaceAll('&amp;', '&'));
  if (url === null) return undefined;
  const isReddits = url.protocol === 'https:' && fileHosts.test(url.hostname);
  return isReddits || url.origin === new URL(apiUrl).origin ? url.href : undefined;
}
