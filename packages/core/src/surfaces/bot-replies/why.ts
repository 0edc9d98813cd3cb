import { AppError } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { selectMembers, selectNamed } from '../../communities/memberships/index.ts';
import { type ReasonReader, type RoleVerdict, reasonInWords } from '../../gating/evaluation/index.ts';
import { type Names, readNames } from '../../gating/naming/index.ts';
import { explainRole, type ReconciledMember, reconcileNow } from '../../gating/role-changes/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { adminMessages, messagesIn, type ServerMessages } from '../../shared/messages/index.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { answer, type BotAnswer, linkToMember, linkToOwnRoles } from './answer.ts';

/**
 * Explains which roles a member has and could have, by which rule and why. Reads wallets and chains, so it takes a
 * while. The caller must ensure that `reader` is the member or an admin. `linkHint` says how to link a wallet.
 */
export async function whyRoles(
  ctx: Context,
  community: CommunityRow,
  userId: string,
  reader: ReasonReader,
  linkHint = '',
): Promise<BotAnswer> {
  const [member] = (await reconcileNow(ctx, community, [userId], { liftSuppressions: false })).members;
  const isSelf = reader === 'self';
  // Admins read English; members their own language.
  const t = messagesIn(isSelf ? ctx.locale : undefined);
  const names = await readNames(ctx, community, [userId], { asks: true, t });
  const whose = names.member(userId);
  if (member === undefined)
    return answer(
      isSelf ? t('why.notMember', { community: community.name }) : adminMessages('member.notHere', { member: whose }),
    );
  const shown = isSelf ? member.verdicts.filter((verdict) => isShownToMember(member, verdict, names)) : member.verdicts;
  if (shown.length === 0) return answer(t('why.noRules'));
  const lines = await Promise.all(shown.map((verdict) => describeRole(ctx, community, member, verdict, names, reader)));
  const link = isSelf ? linkToOwnRoles(ctx) : linkToMember(ctx, community, userId);
  return answer([head(member, whose, reader, linkHint, t), ...lines].join('\n'), [], link);
}

/** A role granted only by hidden rules is not mentioned until the member has it. */
export function isShownToMember(
  { roleIds }: Pick<ReconciledMember, 'roleIds'>,
  { roleId, reason }: RoleVerdict,
  names: Pick<Names, 'visibility'>,
): boolean {
  const { rules, isGuest, compositions } = reason;
  if (roleIds.includes(roleId) || isGuest || compositions !== undefined) return true;
  return rules.length === 0 || rules.some(({ id }) => names.visibility(id) !== 'hidden');
}

function head(
  { wallets }: Pick<ReconciledMember, 'wallets'>,
  whose: string,
  reader: ReasonReader,
  linkHint: string,
  t: ServerMessages,
): string {
  const count = wallets.length;
  if (reader === 'other')
    return `${whose} has ${count === 0 ? 'no linked wallet' : `${count} linked ${count === 1 ? 'wallet' : 'wallets'}`}.`;
  const own = t('why.wallets', { count });
  return count === 0 ? `${own} ${linkHint}`.trim() : own;
}

async function describeRole(
  ctx: Context,
  community: CommunityRow,
  { row, roleIds }: ReconciledMember,
  { roleId, truth, reason }: RoleVerdict,
  names: Names,
  reader: ReasonReader,
): Promise<string> {
  const isHeld = roleIds.includes(roleId);
  const isMember = reader === 'self';
  const t = messagesIn(isMember ? ctx.locale : undefined);
  const standing = {
    true: isHeld ? t('why.held') : isMember ? t('why.coming') : 'qualifies and gets it at the next check',
    false: isHeld ? t('why.going') : t('why.notHeld'),
    unknown: isHeld ? t('why.held') : t('why.notHeld'),
  }[truth];
  const since = await givenAt(ctx, community, row.user_id, roleId, isHeld);
  const state = since === undefined ? standing : t('why.since', { state: standing, time: t.dateTime(since, 'UTC') });
  const why = reasonInWords(reason, names, reader).join(' ');
  return `• ${t('why.role', { role: names.role(roleId), state })} ${why}`.trim();
}

/** When the ledger last recorded a grant or removal of the role. Manual changes are not in it. */
async function givenAt(
  ctx: Context,
  community: CommunityRow,
  userId: string,
  roleId: string,
  isHeld: boolean,
): Promise<Date | undefined> {
  // Members may see when their own role changed, but the ledger is open to admins only.
  const system = contextFor(ctx, { kind: 'system', job: 'bot-answers.why' });
  const { had, entry } = await explainRole(system, { communityId: community.id, userId, roleId, at: ctx.clock() });
  return entry === undefined || had !== isHeld ? undefined : entry.at;
}

/** Describes a failed check, where a person can do something about it. */
export function whyNot(error: unknown): BotAnswer {
  if (error instanceof AppError && error.code === 'STATE_CONFLICT') return answer(error.message);
  throw error;
}

/** What a member is told of a refusal: in their language where its code says enough, and in the words of the API otherwise. */
export function refusalInWords({ code, message }: AppError, t: ServerMessages): string {
  if (t.locale === 'en') return message;
  if (code === 'UNAVAILABLE') return t('chat.unavailable');
  if (code === 'RATE_LIMITED') return t('chat.rateLimited');
  return code === 'ROLE_NOT_ALLOWED' ? t('chat.adminsOnly') : message;
}

/** Finds the member that an admin names by id or name, with or without the platform's prefix for names. */
export async function findMember(
  ctx: Pick<Context, 'db'>,
  { id, platform }: CommunityRow,
  named: string,
): Promise<string | undefined> {
  const plain = named.trim().replace(/^(?:@|\/?u\/)/, '');
  if (plain === '') return undefined;
  const [byId] = await selectMembers(ctx.db.system, id, [userKey(platform, plain)]);
  if (byId !== undefined && byId.left_at === null) return byId.user_id;
  // Members with the same name cannot be distinguished by name.
  const [only, another] = await selectNamed(ctx.db.system, id, plain, 2);
  return another === undefined ? only?.user_id : undefined;
}
