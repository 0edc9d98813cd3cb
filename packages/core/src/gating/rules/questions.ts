import { createHash } from 'node:crypto';
import type { TokenIdSet } from '@latchkey/kernel';
import { LRUCache } from 'lru-cache';
import type { Answer, Question } from '../../ports/index.ts';
import { accountsOf, delegationQuestion, maxVaults, type RuleWallet, walletsOn } from './accounts.ts';
import { type Asset, type AssetLeaf, assetLeavesOf, type Rule } from './rule.ts';

/** What is known when the questions of a rule are generated. */
export interface Known {
  now: Date;
  /** The lists at the URLs of `tokenListUrlsOf`, as far as they could be read. */
  tokenLists?: ReadonlyMap<string, TokenIdSet>;
  /** By `questionKey`. */
  answers?: ReadonlyMap<string, Answer>;
}

/**
 * Returns what must be read to decide a rule for a member, without duplicates. Rules with delegation take two rounds:
 * the first asks for vaults, and with these answers in `known` the second asks for what the vaults hold. Answered
 * questions are not repeated.
 */
export function questionsOf(rule: Pick<Rule, 'condition'>, wallets: readonly RuleWallet[], known: Known): Question[] {
  const questions = new Map<string, Question>();
  const add = (question: Question) => {
    const key = questionKey(question);
    if (!known.answers?.has(key)) questions.set(key, question);
  };
  for (const leaf of assetLeavesOf(rule)) {
    if (leaf.reading.delegation) {
      for (const wallet of walletsOn(leaf.asset.chain, wallets)) add(delegationQuestion(leaf.asset, wallet));
    }
    const { accounts } = accountsOf(leaf, wallets, (question) => known.answers?.get(questionKey(question)));
    for (const { account } of accounts) {
      const question = questionOf(leaf, account, known);
      if (question !== undefined) add(question);
    }
  }
  return [...questions.values()];
}

/** The maximum number of reads for a decision with these wallets. Admins see it before they save a rule. */
export function costOf(rule: Pick<Rule, 'condition'>, wallets: readonly RuleWallet[]): number {
  const unread = tokenListUrlsOf(rule).map((url) => [url, { text: url, items: [] }] as const);
  const known = { now: new Date(0), tokenLists: new Map(unread) };
  const ofVaults = new Set(
    assetLeavesOf(rule).flatMap((leaf) => {
      if (!leaf.reading.delegation) return [];
      return walletsOn(leaf.asset.chain, wallets).map((wallet) => {
        const question = questionOf(leaf, wallet, known);
        return question && questionKey(question);
      });
    }),
  );
  return questionsOf(rule, wallets, known).length + ofVaults.size * maxVaults;
}

/** An upper bound of `costOf` that is cheap to compute. */
export function costBound(rule: Pick<Rule, 'condition'>, wallets: readonly RuleWallet[]): number {
  const ofLeaf = ({ reading }: AssetLeaf) => wallets.length * (reading.delegation ? maxVaults + 2 : 1);
  return assetLeavesOf(rule).reduce((sum, leaf) => sum + ofLeaf(leaf), 0);
}

/** The token lists that a rule names by URL. Callers fetch them once, not once per member. */
export function tokenListUrlsOf(rule: Pick<Rule, 'condition'>): string[] {
  const urls = assetLeavesOf(rule).flatMap(({ asset: { tokenIds } }) =>
    tokenIds !== undefined && 'url' in tokenIds ? [tokenIds.url] : [],
  );
  return [...new Set(urls)];
}

/** The question that a leaf asks about an account; undefined until its token list is known. */
export function questionOf(
  leaf: AssetLeaf,
  account: string,
  known: Pick<Known, 'now' | 'tokenLists'>,
): Question | undefined {
  const { chain, standard, reference, details } = leaf.asset;
  const { heldForSeconds, atBlock } = leaf.reading;
  const tokenIds = tokenIdsOf(leaf.asset, known);
  if (leaf.asset.tokenIds !== undefined && tokenIds === undefined) return undefined;
  return {
    chain,
    standard,
    reference,
    account,
    needs: needsOf(leaf),
    ...(tokenIds !== undefined && { tokenIds: tokenIds.text }),
    ...(atBlock !== undefined && { atBlock }),
    ...(heldForSeconds !== undefined && { leastSince: minuteBefore(known.now, heldForSeconds) }),
    ...(details !== undefined && { details }),
  };
}

export function tokenIdsOf({ tokenIds }: Asset, known: Pick<Known, 'tokenLists'>): TokenIdSet | undefined {
  return tokenIds !== undefined && 'url' in tokenIds ? known.tokenLists?.get(tokenIds.url) : tokenIds;
}

const keys = new WeakMap<Question, string>();

/** Returns a key that is the same for equal questions. Computed once per question, since it is used repeatedly. */
export function questionKey(question: Question): string {
  const known = keys.get(question);
  if (known !== undefined) return known;
  const key = writeKey(question);
  keys.set(question, key);
  return key;
}

function writeKey(question: Question): string {
  const { chain, standard, reference, account, tokenIds, needs, atBlock, leastSince, details } = question;
  return JSON.stringify([
    chain,
    standard,
    reference,
    account,
    needs,
    tokenIds === undefined ? null : shortText(tokenIds),
    atBlock ?? null,
    leastSince ?? null,
    ...(details === undefined
      ? []
      : Object.entries(details)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .flat()),
  ]);
}

function needsOf(leaf: AssetLeaf): Question['needs'] {
  if (leaf.kind === 'query') return leaf.needs;
  if (leaf.kind === 'traits') return 'metadata';
  return leaf.kind === 'safe' && leaf.owners === 'first' ? 'tokens' : 'amount';
}

// Rounded to the minute, so that members checked one after another share the same question.
function minuteBefore(now: Date, seconds: number): string {
  const minutes = Math.floor((now.getTime() / 1000 - seconds) / 60);
  return new Date(minutes * 60_000).toISOString();
}

const digests = new LRUCache<string, string>({ max: 256 });

// A list of ten thousand ids would otherwise be copied into the key of every member's question.
function shortText(text: string): string {
  if (text.length <= 128) return text;
  const known = digests.get(text) ?? createHash('sha256').update(text).digest('base64');
  digests.set(text, known);
  return known;
}
