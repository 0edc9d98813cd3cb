import type { CommunityRow } from '../../communities/community-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';

/** A bot's reply, on any platform: plain sentences, buttons where the platform has them, and where to see more. */
export interface BotAnswer {
  text: string;
  buttons: readonly BotButton[];
  link?: BotLink;
  /** The same text and buttons, with each button at what it is about, where the platform can show that. */
  parts?: readonly BotPart[];
}

export interface BotPart {
  text: string;
  buttons: readonly BotButton[];
}

/**
 * A button is a command with its arguments: `approve`, a change set, a count. On platforms without buttons, people type
 * it.
 */
export interface BotButton {
  label: string;
  words: readonly string[];
}

/** Links are written as text: not every platform accepts buttons with arbitrary URLs, such as local ones. */
interface BotLink {
  label: string;
  url: string;
}

export function answer(text: string, buttons: readonly BotButton[] = [], link?: BotLink): BotAnswer {
  return { text, buttons, ...(link !== undefined && { link }) };
}

export function answerInParts(parts: readonly BotPart[], link?: BotLink): BotAnswer {
  const text = parts.map((part) => part.text).join('\n');
  const buttons = parts.flatMap((part) => part.buttons);
  return { ...answer(text, buttons, link), parts };
}

/** The text with the link below it, truncated to the platform's limit. The link is never truncated. */
export function wordsOf({ text, link }: Pick<BotAnswer, 'text' | 'link'>, longest: number): string {
  const end = link === undefined ? '' : `\n${linkInWords(link)}`;
  return `${truncate(text, longest - end.length)}${end}`;
}

export function linkInWords({ label, url }: BotLink): string {
  return `${label}: ${url}`;
}

/** Cuts a text that is too long, never within a character. */
export function truncate(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, Math.max(0, longest - 1)).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

type LinkContext = Pick<Context, 'settings' | 'locale'>;

type Place = Pick<CommunityRow, 'id'>;

// Where a user sees in full what the bot summarizes in a few lines.
function linkTo({ settings, locale }: LinkContext, screen: string): BotLink {
  return { label: messagesIn(locale)('chat.openConsole'), url: `${settings.baseUrl}/console${screen}` };
}

/** The start page of a community, which shows its problems. */
export function linkToCommunity(ctx: LinkContext, { id }: Place): BotLink {
  return linkTo(ctx, `/communities/${encodeURIComponent(id)}`);
}

export function linkToRules(ctx: LinkContext, { id }: Place): BotLink {
  return linkTo(ctx, `/communities/${encodeURIComponent(id)}/rules`);
}

export function linkToSetup(ctx: LinkContext, { id }: Place): BotLink {
  return linkTo(ctx, `/communities/${encodeURIComponent(id)}/setup`);
}

export function linkToSecurity(ctx: LinkContext, { id }: Place): BotLink {
  return linkTo(ctx, `/communities/${encodeURIComponent(id)}/security`);
}

export function linkToChangeSets(ctx: LinkContext, { id }: Place): BotLink {
  return linkTo(ctx, `/communities/${encodeURIComponent(id)}/role-changes`);
}

export function linkToChangeSet(ctx: LinkContext, { id }: Place, changeSetId: string): BotLink {
  return linkTo(ctx, `/communities/${encodeURIComponent(id)}/role-changes/${encodeURIComponent(changeSetId)}`);
}

/** Links an admin needs next after asking why a member has a role: history, a check, a guest pass. */
export function linkToMember(ctx: LinkContext, { id }: Place, userId: string): BotLink {
  return linkTo(ctx, `/communities/${encodeURIComponent(id)}/members/${encodeURIComponent(userId)}`);
}

export function linkToOwnRoles(ctx: LinkContext): BotLink {
  return linkTo(ctx, '/me/roles');
}
