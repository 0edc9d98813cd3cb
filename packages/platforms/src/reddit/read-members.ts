import { type EntryKind, type Fields, fieldsOf, Malformed, nameOf, parseEntries, textOf } from '@latchkey/adapter-kit';
import { PlatformFailed, type PlatformRole } from '@latchkey/core/ports';
import { isObject } from '@latchkey/kernel';
import type { RedditCaller } from './client.ts';

/** Approved users may post in restricted communities and read private ones. */
export const approvedRole = 'approved';
const flairPrefix = 'flair:';

export const flairRole = (templateId: string): string => `${flairPrefix}${templateId}`;

export function templateOf(roleId: string): string | undefined {
  return roleId.startsWith(flairPrefix) ? roleId.slice(flairPrefix.length) : undefined;
}

/** A flair that moderators can assign. Reddit's list of users shows the flair's text, not its id, so the text must be unique. */
export interface Flair {
  roleId: string;
  text: string;
  cssClass: string;
}

export interface Flairs {
  known: readonly Flair[];
  /** Some flairs could not be read: an unknown flair may still exist. */
  isPartial: boolean;
}

/** Throws `PlatformFailed`. */
export async function readFlairs(caller: RedditCaller, subreddit: string, signal?: AbortSignal): Promise<Flairs> {
  const answer = await caller.get(`/r/${encodeURIComponent(subreddit)}/api/user_flair_v2`, signal);
  const { entries, malformed } = readList(
    answer,
    { ...from('flair'), idOf: ({ roleId }: Flair) => roleId },
    parseFlair,
  );
  return { known: entries, isPartial: malformed > 0 };
}

function parseFlair(value: unknown): Flair {
  const { id, text, css_class: cssClass } = fieldsOf(value, 'a flair');
  return {
    roleId: flairRole(nameOf(id, 'the id of a flair')),
    text: wordsOf(text, 'the text of a flair'),
    cssClass: wordsOf(cssClass, 'the class of a flair'),
  };
}

export const noSuchFlair = {
  fault: 'missing',
  advice: 'The subreddit no longer has this flair. Choose another role in the rule.',
} as const;

export function toRoles(flairs: readonly Flair[]): PlatformRole[] {
  const roles = flairs.map(({ roleId, text }, index) => ({ id: roleId, name: text, position: flairs.length - index }));
  return [...roles, { id: approvedRole, name: 'Approved user', position: 0 }];
}

export interface ShownFlairs {
  /** By the user's name in lower case. */
  shown: ReadonlyMap<string, { name: string; roleId?: string }>;
  /** Entries that could not be read: the flairs of those users are unknown. */
  malformed: number;
  next: string | undefined;
}

/** Returns the flair of each user in a response. Throws `PlatformFailed`. */
export function flairsShown(answer: unknown, flairs: Flairs): ShownFlairs {
  const { users, next } = partOf(answer);
  const about = { ...from('member'), idOf: ([key]: [string, unknown]) => key };
  const { entries, malformed } = readList(users, about, (value): [string, { name: string; roleId?: string }] => {
    const user = fieldsOf(value, 'a user');
    const name = nameOf(user.user, 'the name of a user');
    const text = wordsOf(user.flair_text, 'the flair of a user');
    const cssClass = wordsOf(user.flair_css_class, 'the class of a flair');
    const flair = flairs.known.find((known) => known.text === text && known.cssClass === cssClass);
    // It may be one of the flairs that could not be read.
    if (flair === undefined && flairs.isPartial && (text !== '' || cssClass !== ''))
      throw new Malformed('the flair of a user is not known');
    return [name.toLowerCase(), { name, ...(flair && { roleId: flair.roleId }) }];
  });
  return { shown: new Map(entries), malformed, next: cursorOf(next) };
}

/** Throws `PlatformFailed`. */
export function namesIn(answer: unknown): { names: string[]; malformed: number; after: string | undefined } {
  const { children, after } = partOf(partOf(answer).data);
  const parse = (value: unknown) => nameOf(fieldsOf(value, 'a user').name, 'the name of a user');
  const { entries, malformed } = readList(children, { ...from('member'), idOf: (name) => name.toLowerCase() }, parse);
  return { names: entries, malformed, after: cursorOf(after) };
}

const from = (kind: string) => ({ source: 'reddit', kind });

/** Reddit sends null for an empty text. */
function wordsOf(value: unknown, what: string): string {
  return value === null ? '' : textOf(value, what);
}

function cursorOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw notUnderstood();
  return value;
}

function partOf(value: unknown): Fields {
  if (!isObject(value)) throw notUnderstood();
  return value;
}

/** Throws `PlatformFailed` if there is no list. */
export function readList<Entry>(list: unknown, about: EntryKind<Entry>, parse: (value: unknown) => Entry) {
  if (!Array.isArray(list)) throw notUnderstood();
  return parseEntries(list, about, parse);
}

export function notUnderstood(): PlatformFailed {
  return new PlatformFailed('unavailable', 'Reddit sent an unexpected response.', 60);
}
