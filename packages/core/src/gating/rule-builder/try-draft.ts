import { AppError } from '@latchkey/kernel';
import { ownCommunity } from '../../communities/access/index.ts';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { selectMembers } from '../../communities/memberships/index.ts';
import type { Context } from '../../shared/context.ts';
import { toUserKey } from '../../shared/qualified-ids.ts';
import {
  assetsOf,
  decideMember,
  evaluateWallets,
  fetchFacts,
  findingInWords,
  needInWords,
  type OpenRules,
  openAccount,
  openRequestedRules,
  type RoleVerdict,
  readableRules,
  readTokenLists,
  UnreadableAccount,
} from '../evaluation/index.ts';
import { readSymbols } from '../evm/index.ts';
import { readTokenNames } from '../naming/index.ts';
import { compositionOf, costOf, type LeafReason, type Reason, type RuleWallet, readRule } from '../rules/index.ts';
import type { DraftTrial } from './shapes.ts';

interface Trial {
  communityId: string;
  body: { rule: Record<string, unknown>; account?: string | undefined; userId?: string | undefined };
}

const maxReads = 2_000;
const timeoutMs = 5_000;

/** Evaluates a draft for a wallet or for a member of the community, while the admin waits. Nothing is changed or kept. */
export async function tryDraft(ctx: Context, { communityId, body }: Trial): Promise<DraftTrial> {
  const community = await ownCommunity(ctx, communityId);
  if (compositionOf(readRule(body.rule, '/rule')) !== undefined)
    throw refused('/rule', 'A rule about other roles does not check wallets. Use the preview to see what it changes.');
  const rules = await openRequestedRules([body.rule], '/rule');
  const isByAccount = body.account !== undefined && body.account.trim() !== '';
  if (isByAccount === (body.userId !== undefined))
    throw refused('/account', 'Name either a wallet address or a member.');
  const [verdict] = isByAccount
    ? await tryAccount(ctx, rules, community, body.account ?? '')
    : await tryMember(ctx, rules, community, toUserKey(community.platform, body.userId ?? ''));
  const reason = verdict?.reason.rules[0]?.reason;
  if (verdict === undefined || reason === undefined) throw refused('/rule', 'This rule cannot be tested.');
  const places = assetsOf(rules).map(({ chain, reference }) => ({ chain, contract: reference }));
  const read = await readSymbols(ctx, places, AbortSignal.timeout(timeoutMs));
  const token = await readTokenNames(ctx, assetsOf(rules), { asks: false, read });
  return {
    ...(verdict.truth !== 'unknown' && { qualifies: verdict.truth === 'true' }),
    reason: treeOf(reason, { token, showsAmounts: isByAccount }),
  };
}

async function tryAccount(
  ctx: Context,
  rules: OpenRules,
  community: CommunityRow,
  account: string,
): Promise<RoleVerdict[]> {
  const chains = assetsOf(rules).map(({ chain }) => chain);
  const wallets = await openAccount(ctx, account, chains).catch((error: unknown) => {
    throw error instanceof UnreadableAccount ? refused('/account', error.message) : error;
  });
  refuseExpensive(rules, wallets);
  return (await evaluateWallets(ctx, rules, { requestedBy: community.id, wallets }, { from: 'memory' })).verdicts;
}

async function tryMember(
  ctx: Context,
  rules: OpenRules,
  community: CommunityRow,
  userId: string,
): Promise<RoleVerdict[]> {
  const [member] = await selectMembers(ctx.db.system, community.id, [userId]);
  if (member === undefined || member.left_at !== null)
    throw refused('/userId', 'Member not found in this community. Pick a member from the list.');
  const tokenLists = await readTokenLists(ctx, readableRules(rules));
  const facts = await fetchFacts(ctx, { community, rules, tokenLists }, [userId], { from: 'memory' });
  return decideMember(rules, facts, { userId, roleIds: member.role_ids });
}

function refuseExpensive(rules: OpenRules, wallets: readonly RuleWallet[]): void {
  const reads = readableRules(rules).reduce((sum, rule) => sum + costOf(rule, wallets), 0);
  if (reads > maxReads) throw refused('/rule', `Testing it needs up to ${reads} reads; the limit is ${maxReads}.`);
}

interface TreeOptions {
  token(asset: string): string;
  /** True for an address that the admin entered, whose balances are public. Amounts would reveal a member's wallets. */
  showsAmounts: boolean;
}

function treeOf(reason: Reason, options: TreeOptions): Record<string, unknown> {
  const { truth } = reason;
  if (reason.kind !== 'leaf') {
    const { kind, count, parts } = reason;
    return {
      kind,
      truth,
      ...(count !== undefined && { count }),
      text: needInWords(reason, options),
      parts: parts.map((part) => treeOf(part, options)),
    };
  }
  const found = foundOf(reason, options);
  return { kind: 'leaf', truth, text: needInWords(reason, options), ...(found !== '' && { found }) };
}

function foundOf(leaf: LeafReason, { token, showsAmounts }: TreeOptions): string {
  const value = leaf.sum ?? leaf.readings.find((reading) => reading.value !== undefined)?.value;
  if (!showsAmounts) return leaf.truth === 'true' ? '' : findingInWords(leaf, { token }, 'other', true);
  if (leaf.truth === 'unknown') {
    const note = leaf.readings.find((reading) => reading.note !== undefined)?.note ?? leaf.note;
    return note === undefined ? 'This could not be read just now.' : note;
  }
  if (leaf.readings.length === 0) return 'This wallet cannot hold it.';
  return value === undefined ? '' : `The wallet holds ${value}.`;
}

function refused(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', message, { details: [{ path, code: 'trial', message }] });
}
