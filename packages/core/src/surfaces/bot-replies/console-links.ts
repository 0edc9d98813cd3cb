import type { CommunityRow } from '../../communities/community-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import type { BotLink } from './answer.ts';

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
