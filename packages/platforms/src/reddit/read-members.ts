import { isObject } from '@latchkey/adapter-kit';
import { PlatformFailed, type PlatformRole } from '@latchkey/core/ports';
import type { RedditCaller } from './client.ts';

/** Approved users may post in restricted communities and read private ones. */
export const approvedRole = 'approved';
const flairPrefix = 'flair:';

export const flairRole = (templateId: string): string => `${flairPrefix}${templateId}`;

export function templateOf(roleId: string): string | undefined {
  return roleId.startsWith(flairPrefix) ? roleId.slice(flairPrefix.length) : undefined;
}

/** A flair that moderators can give. Reddit's list of flairs shows words, not ids, so the words must tell them apart. */
export interface Flair {
  roleId: string;
  text: string;
  cssClass: string;
}

export async function readFlairs(caller: RedditCaller, subreddit: string, signal?: AbortSignal): Promise<Flair[]> {
  const answer = await caller.get(`/r/${encodeURIComponent(subreddit)}/api/user_flair_v2`, signal);
  if (!Array.isArray(answer)) throw malformed();
  return answer.filter(isObject).map(({ id, text, css_class }) => ({
    roleId: flairRole(String(id)),
    text: String(text ?? ''),
    cssClass: String(css_class ?? ''),
  }));
}

export function toRoles(flairs: readonly Flair[]): PlatformRole[] {
  const roles = flairs.map(({ roleId, text }, index) => ({ id: roleId, name: text, position: flairs.length - index }));
  return [...roles, { id: approvedRole, name: 'Approved user', position: 0 }];
}

/** The flair each user of an answer shows, by the user's name in lower case. */
export function flairsShown(answer: unknown, flairs: readonly Flair[]): Map<string, { name: string; roleId?: string }> {
  if (!isObject(answer) || !Array.isArray(answer.users)) throw malformed();
  return new Map(
    answer.users.filter(isObject).map((shown) => {
      const name = String(shown.user ?? '');
      const text = String(shown.flair_text ?? '');
      const cssClass = String(shown.flair_css_class ?? '');
      const flair = flairs.find((known) => known.text === text && known.cssClass === cssClass);
      return [name.toLowerCase(), { name, ...(flair && { roleId: flair.roleId }) }];
    }),
  );
}

export function namesIn(answer: unknown): { names: string[]; after: string | undefined } {
  if (!isObject(answer) || !isObject(answer.data) || !Array.isArray(answer.data.children)) throw malformed();
  const { children, after } = answer.data;
  return {
    names: children.filter(isObject).map(({ name }) => String(name ?? '')),
    after: typeof after === 'string' ? after : undefined,
  };
}

function malformed(): PlatformFailed {
  return new PlatformFailed('unavailable', 'Reddit answered in a form that is not understood.', 60);
}
