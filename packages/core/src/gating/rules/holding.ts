import { matchesTokenIds, type TokenIdSet } from '@latchkey/kernel';
import type { Answer, HeldToken } from '../../ports/index.ts';
import type { CountedAccount } from './accounts.ts';
import { addDecimals, type Decimal, formatDecimal, parseDecimal, zero } from './decimal.ts';
import type { AccountReading, DecideInput } from './decision.ts';
import { questionKey, questionOf, tokenIdsOf } from './questions.ts';
import type { AssetLeaf } from './rule.ts';

/** What an account holds of an asset: an amount and perhaps its tokens, or the reason why it is not known. */
export interface Holding extends CountedAccount {
  answer: Answer;
  amount?: Decimal;
  tokens?: readonly HeldToken[];
}

/** What was read of an account for a leaf. */
export function holdingOf(leaf: AssetLeaf, account: CountedAccount, input: DecideInput): Holding {
  const question = questionOf(leaf, account.account, input);
  const answer = question && input.answers.get(questionKey(question));
  if (answer === undefined) return { ...account, answer: { kind: 'unknown', reason: 'This was not read.' } };
  if (answer.kind === 'unknown') return { ...account, answer };
  const tokenIds = tokenIdsOf(leaf.asset, input);
  const counts = ({ id }: HeldToken) => tokenIds === undefined || matchesTokenIds(tokenIds, id);
  const tokens = answer.tokens?.filter(counts);
  const amount = amountOf(answer, tokens, tokenIds);
  if (amount === undefined) return { ...account, answer: { kind: 'unknown', reason: 'What was read is no number.' } };
  return { ...account, answer, amount, ...(tokens !== undefined && { tokens }) };
}

// Tokens that are named are counted here, so that a reader that knows less of the rule's spelling does no harm.
function amountOf(
  answer: Extract<Answer, { kind: 'read' }>,
  tokens: readonly HeldToken[] | undefined,
  tokenIds: TokenIdSet | undefined,
): Decimal | undefined {
  if (tokenIds === undefined || tokens === undefined) return amountRead(answer.amount);
  let sum: Decimal | undefined = zero;
  for (const { amount } of tokens) {
    const read = amountRead(amount);
    sum = sum && read && addDecimals(sum, read);
  }
  return sum;
}

// Nobody holds less than nothing; whoever answers so answers something else.
function amountRead(text: string): Decimal | undefined {
  const amount = parseDecimal(text);
  return amount === undefined || amount.units < 0n ? undefined : amount;
}

/** All accounts as one that holds everything; what is unknown of one makes the whole unknown. */
export function mergeHoldings(holdings: readonly Holding[]): Holding | undefined {
  const missing = holdings.find(({ amount }) => amount === undefined);
  const [first] = holdings;
  if (missing !== undefined || first === undefined) return missing;
  const isListed = holdings.every(({ tokens }) => tokens !== undefined);
  return {
    account: first.account,
    answer: first.answer,
    amount: sumOf(holdings),
    ...(isListed && { tokens: holdings.flatMap(({ tokens = [] }) => tokens) }),
  };
}

/** The sum of what is known. */
export function sumOf(holdings: readonly Holding[]): Decimal {
  return holdings.reduce((sum, { amount }) => (amount === undefined ? sum : addDecimals(sum, amount)), zero);
}

/** What is told of an account; whether it is enough is left to the caller. */
export function toReading(
  chain: string,
  { account, delegate, answer, amount }: Holding,
  truth: AccountReading['truth'],
): AccountReading {
  const place = { wallet: delegate ?? account, ...(delegate !== undefined && { vault: account }), chain };
  if (answer.kind === 'unknown') return { ...place, truth: 'unknown', note: answer.reason };
  return {
    ...place,
    ...(answer.block !== undefined && { block: answer.block.number }),
    ...(amount !== undefined && { value: formatDecimal(amount) }),
    truth,
  };
}
