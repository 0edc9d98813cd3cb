import { type Fetch, isObject } from '@latchkey/adapter-kit';
import type { CommunityPicture } from '@latchkey/core/ports';
import { downloadPicture } from '../pictures/download.ts';
import type { RedditCaller } from './client.ts';

/** Where Reddit keeps pictures. Moderators upload them, so an address elsewhere is not Reddit's. */
const fileHosts = /(^|\.)(redditmedia\.com|redditstatic\.com|redd\.it)$/;

interface IconOptions {
  subreddit: string;
  version: string | undefined;
  apiUrl: string;
  fetch: Fetch;
  /** For pictures that are not at the API itself. */
  fetchMedia: Fetch;
}

/** The icon of a subreddit, which has had two fields in turn. */
export async function readIcon(
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

/** Reddit writes addresses as they stand in HTML. */
function addressOf(value: unknown, apiUrl: string): string | undefined {
  if (typeof value !== 'string' || value.length > 500) return undefined;
  const url = URL.parse(value.replaceAll('&amp;', '&'));
  if (url === null) return undefined;
  const isReddits = url.protocol === 'https:' && fileHosts.test(url.hostname);
  return isReddits || url.origin === new URL(apiUrl).origin ? url.href : undefined;
}
