import { AppError } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { type ReasonReader, type RoleVerdict, reasonInWords } from '../../gating/evaluation/index.ts';
import { type Names, readNames } from '../../gating/naming/index.ts';
import { explainRole, type ReconciledMember, reconcileNow } from '../../gating/role-changes/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { answer, type BotAnswer } from './answer.ts';
import { timeInWords } from './change-set-words.ts';
import { linkToMember, linkToOwnRoles } from './console-links.ts';

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
  const names = await readNames(ctx, community, [userId], { asks: true });
  const whose = names.member(userId);
  if (member === undefined)
    return answer(reader === 'self' ? `You are not a member of ${community.name}.` : `${whose} is not a member here.`);
  const shown =
    reader === 'self' ? member.verdicts.filter((verdict) => isShownToMember(member, verdict, names)) : member.verdicts;
  if (shown.length === 0) return answer('This community has no rules for roles yet.');
  const lines = await Promise.all(shown.map((verdict) => describeRole(ctx, community, member, verdict, names, reader)));
  const link = reader === 'self' ? linkToOwnRoles(ctx) : linkToMember(ctx, community, userId);
  return answer([head(member, whose, reader, linkHint), ...lines].join('\n'), [], link);
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
): string {
  const count = `${wallets.length} linked ${wallets.length === 1 ? 'wallet' : 'wallets'}`;
  if (reader === 'other') return `${whose} has ${wallets.length === 0 ? 'no linked wallet' : count}.`;
  return wallets.length === 0 ? `You have no linked wallet. ${linkHint}`.trim() : `You have ${count}.`;
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
  const standing = {
    true: isHeld
      ? 'held'
      : isMember
        ? 'you qualify and get it at the next check'
        : 'qualifies and gets it at the next check',
    false: isHeld ? 'held, but the rules are no longer met' : 'not held',
    unknown: isHeld ? 'held' : 'not held',
  }[truth];
  const since = await givenAt(ctx, community, row.user_id, roleId, isHeld);
  return `• ${names.role(roleId)}: ${standing}${since}. ${reasonInWords(reason, names, reader).join(' ')}`.trim();
}

/** When the ledger last recorded a grant or removal of the role. Manual changes are not in it. */
async function givenAt(
  ctx: Context,
  community: CommunityRow,
  userId: string,
  roleId: string,
  isHeld: boolean,
): Promise<string> {
  // Members may see when their own role changed, but the ledger is open to admins only.
  const system = contextFor(ctx, { kind: 'system', job: 'bot-answers.why' });
  const { had, entry } = await explainRole(system, { communityId: community.id, userId, roleId, at: ctx.clock() });
  if (entry === undefined || had !== isHeld) return '';
  return ` since ${timeInWords(entry.at)}`;
}

/** Describes a failed check, where a person can do something about it. */
export function whyNot(error: unknown): BotAnswer {
  if (error instanceof AppError && error.code === 'STATE_CONFLICT') return answer(error.message);
  throw error;
}
