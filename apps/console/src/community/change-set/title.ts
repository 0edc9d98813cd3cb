import type { Answer, ItemOf } from '../../shared/api/index.ts';
import { type CommunityMessageId, t } from '../messages/index.ts';

const route = 'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}';
type Details = Answer<typeof route>;
type RuleChange = ItemOf<'GET /latchkey/communities/{communityId}/rules/{ruleId}/history'>;
type Version = Pick<NonNullable<RuleChange['before']>, 'sentence'>;

/** All edits of one rule that led to a change set, as one edit. */
export interface RuleEdit {
  action: RuleChange['action'];
  before?: Version | undefined;
  after?: Version | undefined;
  /** The last edit: who made it and when. */
  changedBy: string;
  changedByName?: string | undefined;
  changedTime: string;
}

/** History is newest first. Undefined if none of these changes is on the page of history that was read. */
export function ruleEditOf(history: readonly RuleChange[], ruleChangeIds: readonly string[]): RuleEdit | undefined {
  const made = history.filter(({ id }) => ruleChangeIds.includes(id));
  const [last, first] = [made[0], made.at(-1)];
  if (last === undefined || first === undefined) return undefined;
  const { changedBy, changedByName, changedTime, after } = last;
  const action = after === undefined ? 'removed' : first.before === undefined ? 'created' : 'changed';
  return { action, before: first.before, after, changedBy, changedByName, changedTime };
}

/** What two sentences have in common at both ends, and what differs between. Whole words only. */
export function diffSentences(before: string, after: string) {
  const [old, now] = [before.split(' '), after.split(' ')];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const join = (words: readonly string[]) => words.join(' ');
  return {
    start: join(now.slice(0, start)),
    removed: join(old.slice(start, old.length - end)),
    added: join(now.slice(start, now.length - end)),
    end: join(now.slice(now.length - end)),
  };
}

const longestPart = 30;
const longestName = 60;

/** `100 → 1,000,000 COIN`, if a single short part of the rule changed. */
function editInWords({ before, after }: RuleEdit): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  const { removed, added, end } = diffSentences(before.sentence, after.sentence);
  if (removed === '' || added === '' || removed.length > longestPart || added.length > longestPart) return undefined;
  const [next = ''] = end.split(' ');
  const unit = isNumber(added) && next !== '' && next.length <= longestPart ? ` ${next.replace(/[.,;:]$/, '')}` : '';
  return `${removed} → ${added}${unit}`;
}

/** The server writes numbers with separators. */
const isNumber = (text: string) => /^\d[\d,]*(\.\d+)?$/.test(text);

const reasons: Readonly<Record<string, CommunityMessageId & `changeSet.reason.${string}`>> = {
  requested: 'changeSet.reason.requested',
  schedule: 'changeSet.reason.schedule',
  wallet: 'changeSet.reason.wallet',
  chain: 'changeSet.reason.chain',
  rule: 'changeSet.reason.rule',
  joined: 'changeSet.reason.joined',
  left: 'changeSet.reason.left',
  preview: 'changeSet.reason.preview',
  undo: 'changeSet.reason.undo',
  'take-over': 'changeSet.reason.takeOver',
  'guest pass': 'changeSet.reason.guestPass',
  invite: 'changeSet.reason.invite',
  'join request': 'changeSet.reason.joinRequest',
};

/** The change set in one line: `Supporter: 100 → 1,000,000 COIN`, or `Scheduled re-check: 25 members lose Holder`. */
export function titleOf({ changeSet, shares }: Pick<Details, 'changeSet' | 'shares'>, edit?: RuleEdit): string {
  const { cause } = changeSet;
  const short = edit && cause !== 'undo' ? editInWords(edit) : undefined;
  const [first] = shares;
  if (short !== undefined && first !== undefined) return t('changeSet.ruleTitle', { role: roleOf(first), edit: short });
  const reason =
    edit && cause !== 'undo' ? t(`changeSet.edit.${edit.action}`) : t(reasons[cause] ?? 'changeSet.reason.other');
  return t('changeSet.title', { reason, effect: effectInWords({ changeSet, shares }) });
}

const isOver = new Set(['done', 'dropped', 'failed', 'undone']);

/** Counts what was written once a change set has ended, and what is planned until then. */
function effectInWords({ changeSet, shares }: Pick<Details, 'changeSet' | 'shares'>): string {
  const counts = shares
    .map((share) => {
      const count = isOver.has(changeSet.status) ? share.written : share.members;
      return { action: share.action, count, role: roleOf(share) };
    })
    .filter(({ count }) => count > 0);
  const [first, second] = counts;
  if (first === undefined) return t('changeSet.noRoleChanges');
  return t.list([
    t(`changeSet.${first.action}`, first),
    ...(second === undefined ? [] : [t(`changeSet.${second.action}Also`, second)]),
    ...(counts.length > 2 ? [t('changeSet.moreRoles', { count: counts.length - 2 })] : []),
  ]);
}

function roleOf({ roleName, roleId }: Pick<Details['shares'][number], 'roleId' | 'roleName'>): string {
  return shortened(roleName ?? t('common.unnamedRoleInText', { id: roleId }));
}

/** Names can have thousands of characters. */
export function shortened(name: string): string {
  const letters = [...name];
  return letters.length <= longestName ? name : `${letters.slice(0, longestName - 1).join('')}…`;
}

/** How many changes an approval lets through, and of which kinds. */
export function waitingOf(shares: Details['shares']) {
  const count = (wanted: 'grant' | 'revoke') =>
    shares.filter(({ action }) => action === wanted).reduce((sum, { waiting }) => sum + waiting, 0);
  const [grants, removals] = [count('grant'), count('revoke')];
  const waiting = grants > 0 && removals > 0 ? 'both' : grants > 0 ? 'grants' : removals > 0 ? 'removals' : 'none';
  return { grants, removals, waiting };
}
