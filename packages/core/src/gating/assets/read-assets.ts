import { AppError, matchesTokenIds } from '@latchkey/kernel';
import type { Answer, Question } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { addDecimals, formatDecimal, parseDecimal } from '../../shared/decimal.ts';
import { openAccount, type ReadContext, readAnswers, splitAccount, UnreadableAccount } from '../evaluation/index.ts';
import {
  assetKinds,
  assetLeavesOf,
  questionKey,
  questionsOf,
  type Rule,
  type RuleWallet,
  readRule,
  walletNamespaceOf,
} from '../rules/index.ts';
import { maxAssets } from './asset.ts';

export type AssetContext = ReadContext & Pick<Context, 'names' | 'wallets'>;

/** One asset of a request: its text, and the parsed rule. */
export interface NamedAsset {
  text: string;
  rule: Rule;
}

/** Parses asset names. Throws INVALID_PARAMETER_VALUE for the first invalid one. */
export function openAssets(texts: readonly string[]): NamedAsset[] {
  if (texts.length > maxAssets) throw refused(`You can request at most ${maxAssets} assets at a time.`);
  return texts.map((text) => {
    try {
      return { text, rule: readRule({ asset: text }) };
    } catch (error) {
      if (error instanceof AppError) throw refused(`The asset ${text.slice(0, 100)} cannot be read. ${error.message}`);
      throw error;
    }
  });
}

/** Returns the wallets of an account in a path. Throws INVALID_PARAMETER_VALUE for an invalid account. */
export async function openOwner(
  ctx: Pick<Context, 'names' | 'wallets'>,
  account: string,
  assets: readonly NamedAsset[],
): Promise<readonly RuleWallet[]> {
  const chains = assets.flatMap(({ rule }) => assetLeavesOf(rule)).map(({ asset }) => asset.chain);
  return openAccount(ctx, account, chains).catch((error: unknown) => {
    throw error instanceof UnreadableAccount ? refusedAccount(error.message) : error;
  });
}

/** The native currency of an account's chain, as an asset; Ethereum's for an address or name without a chain. */
export function coinOf(account: string): string {
  return `${splitAccount(account).chain ?? 'evm:1'}/native:currency`;
}

/** What the wallets hold of each asset in total; `needs` can request more than the amount. */
export async function readHoldings(
  ctx: AssetContext,
  wallets: readonly RuleWallet[],
  assets: readonly NamedAsset[],
  needs: (question: Question) => Question['needs'],
): Promise<Answer[]> {
  const now = ctx.clock();
  const questions = assets.map(({ rule }) =>
    questionsOf(rule, wallets, { now }).map((question) => ({ ...question, needs: needs(question) })),
  );
  const answers = await readAnswers(ctx, questions.flat(), { from: 'memory' });
  return questions.map((requested, index) => {
    const doubt = doubtAbout(assets[index]?.rule, wallets);
    if (doubt !== undefined) return { kind: 'unknown', reason: doubt };
    const sum = requested.map((question) => answers.get(questionKey(question))).reduce<Answer>(addUp, nothing);
    return countNamed(sum, assets[index]?.rule);
  });
}

function doubtAbout(rule: Rule | undefined, wallets: readonly RuleWallet[]): string | undefined {
  const namespaces = rule && assetLeavesOf(rule).map(({ asset }) => walletNamespaceOf(asset.chain));
  return wallets.find(({ namespace }) => namespaces?.includes(namespace))?.unreadable;
}

// A reader may list every token of a collection; only those that the asset names count.
function countNamed(answer: Answer, rule: Rule | undefined): Answer {
  const ids = rule && assetLeavesOf(rule)[0]?.asset.tokenIds;
  if (answer.kind !== 'read' || answer.tokens === undefined || ids === undefined || 'url' in ids) return answer;
  const tokens = answer.tokens.filter(({ id }) => matchesTokenIds(ids, id));
  const amounts = tokens.map(({ amount }): Answer => ({ kind: 'read', amount }));
  const sum = amounts.reduce<Answer>(addUp, nothing);
  return sum.kind === 'read' ? { ...sum, tokens } : sum;
}

const nothing: Answer = { kind: 'read', amount: '0' };
const unread: Answer = { kind: 'unknown', reason: 'The value was not read.' };

function addUp(sum: Answer, next: Answer = unread): Answer {
  if (sum.kind === 'unknown' || next.kind === 'unknown') return sum.kind === 'unknown' ? sum : next;
  const [a, b] = [parseDecimal(sum.amount), parseDecimal(next.amount)];
  if (a === undefined || b === undefined) return { kind: 'unknown', reason: 'The value is not a number.' };
  const tokens = [...(sum.tokens ?? []), ...(next.tokens ?? [])];
  return {
    kind: 'read',
    amount: formatDecimal(addDecimals(a, b)),
    ...((sum.tokens ?? next.tokens) !== undefined && { tokens }),
  };
}

const collectibles = new Set(
  assetKinds
    .filter(({ tokenIds, name }) => tokenIds !== undefined || name === 'SOLANA_NFT')
    .map(({ standard }) => standard),
);

/** Metadata for assets with tokens, and the amount for everything else. */
export function needsOfList({ standard }: Pick<Question, 'standard'>): Question['needs'] {
  return collectibles.has(standard) ? 'metadata' : 'amount';
}

function refused(message: string): AppError {
  return new AppError('INVALID_PARAMETER_VALUE', message);
}

function refusedAccount(message: string): AppError {
  return new AppError('INVALID_PARAMETER_VALUE', `The account cannot be read. ${message}`, {
    details: [{ path: '/account', code: 'account', message }],
  });
}
