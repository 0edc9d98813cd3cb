import { matchesTokenIds, type TokenIdSet } from '@latchkey/kernel';
import type { Answer, HeldToken, Question } from '../../ports/index.ts';
import { addDecimals, compareDecimals, type Decimal, formatDecimal, parseDecimal, zero } from '../../shared/decimal.ts';
import { accountsOf, type CountedAccount } from './accounts.ts';
import { formatAsset } from './caip.ts';
import { walletNamespaceOf } from './chain-ids.ts';
import type { AccountReading, DecideInput, Decision, LeafReason, Reason } from './decision.ts';
import { describeComposition, describeNeeded, neededPass } from './describe-needed.ts';
import type { AssetItem } from './functions.ts';
import { QueryFailed } from './queries/query-failed.ts';
import { askTraits, type Queries, startQueries } from './queries/start-queries.ts';
import { questionKey, questionOf, tokenIdsOf } from './questions.ts';
import type {
  AssetLeaf,
  CompositionLeaf,
  Condition,
  GuestPassLeaf,
  HoldingLeaf,
  Leaf,
  QueryLeaf,
  Rule,
  SafeLeaf,
  TraitsLeaf,
} from './rule.ts';
import type { TraitFilter } from './traits.ts';
import { allOf, anyOf, atLeastOf, not, type Truth, truthOf } from './truth.ts';

/**
 * Decides a rule for a member from the answers read. Missing answers are unknown, and an unknown part decides nothing
 * unless the other parts leave no choice. Rules of one request share `queries` and should be decided concurrently, so
 * that their queries are sent together.
 */
export async function decide(
  rule: Pick<Rule, 'condition'>,
  input: DecideInput,
  queries: Queries = startQueries(input.now),
): Promise<Decision> {
  const reason = await decideCondition(rule.condition, input, queries);
  return { truth: reason.truth, reason };
}

async function decideCondition(condition: Condition, input: DecideInput, queries: Queries): Promise<Reason> {
  switch (condition.kind) {
    case 'and':
    case 'or':
    case 'at-least': {
      const parts = await Promise.all(condition.parts.map((part) => decideCondition(part, input, queries)));
      const truths = parts.map(({ truth }) => truth);
      if (condition.kind === 'at-least') {
        return { kind: 'at-least', truth: atLeastOf(condition.count, truths), count: condition.count, parts };
      }
      return { kind: condition.kind, truth: condition.kind === 'and' ? allOf(truths) : anyOf(truths), parts };
    }
    case 'not': {
      const part = await decideCondition(condition.part, input, queries);
      return { kind: 'not', truth: not(part.truth), parts: [part] };
    }
    default: {
      const reason = await decideLeaf(condition, input, queries);
      return condition.concealed === undefined ? reason : { ...reason, concealed: condition.concealed };
    }
  }
}

async function decideLeaf(leaf: Leaf, input: DecideInput, queries: Queries): Promise<LeafReason> {
  switch (leaf.kind) {
    case 'guest-pass':
      return decideGuestPass(leaf, input, queries);
    case 'composition':
      return decideComposition(leaf, input);
    default:
      return decideAssetLeaf(leaf, input, queries);
  }
}

async function decideGuestPass(
  { label, filter }: GuestPassLeaf,
  { guestPasses }: DecideInput,
  queries: Queries,
): Promise<LeafReason> {
  const leaf = { kind: 'leaf' as const, rule: label, needed: neededPass, readings: [] };
  if (guestPasses === undefined) return { ...leaf, truth: 'unknown', note: 'The guest passes were not read.' };
  try {
    const tokens = guestPasses.map((pass) => passToken(pass, filter));
    const isMet = await askTraits(queries, filter, tokens);
    return { ...leaf, truth: truthOf(isMet), note: `The member holds ${guestPasses.length} guest passes.` };
  } catch (error) {
    if (!(error instanceof QueryFailed)) throw error;
    return { ...leaf, truth: 'unknown', note: error.message };
  }
}

// A pass has a single value, which is compared whatever trait type the filter uses.
function passToken(pass: string, { filters }: TraitFilter) {
  const types = filters.flatMap(({ traits }) => traits.map(({ type }) => type));
  return { id: pass, amount: '1', metadata: { attributes: types.map((type) => ({ trait_type: type, value: pass })) } };
}

function decideComposition({ label, composition }: CompositionLeaf, { memberRoles }: DecideInput): LeafReason {
  const wanted = Object.entries(composition.condition);
  const needed = describeComposition(composition);
  const leaf = { kind: 'leaf' as const, rule: label, needed, readings: [] };
  if (memberRoles === undefined) return { ...leaf, truth: 'unknown', note: 'The roles of the member were not read.' };
  const truths: Truth[] = wanted.map(([roleId, held]) => truthOf(memberRoles.includes(roleId) === held));
  return { ...leaf, truth: composition.operator === 'and' ? allOf(truths) : anyOf(truths) };
}

/** Decides a rule about an asset: any one account is enough, unless accounts are summed. */
async function decideAssetLeaf(leaf: AssetLeaf, input: DecideInput, queries: Queries): Promise<LeafReason> {
  const { asset } = leaf;
  const base = { kind: 'leaf' as const, rule: leaf.label, asset: formatAsset(asset), needed: describeNeeded(leaf) };
  const answerTo = (question: Question) => input.answers.get(questionKey(question));
  const { accounts, unknown } = accountsOf(leaf, input.wallets, answerTo);
  if (accounts.length === 0 && unknown.length === 0) {
    const note = `The member has no ${walletNamespaceOf(asset.chain)} wallet that counts on ${asset.chain}.`;
    return { ...base, truth: 'false', readings: [], note };
  }
  if (asset.tokenIds !== undefined && tokenIdsOf(asset, input) === undefined) {
    return { ...base, truth: 'unknown', readings: [], note: 'The list of token ids could not be read.' };
  }
  const holdings = accounts.map((account) => holdingOf(leaf, account, input));
  const vaults: AccountReading[] = unknown.map(({ delegate, reason }) => {
    return { wallet: delegate, chain: asset.chain, truth: 'unknown', note: reason };
  });
  if (leaf.kind === 'holding' && leaf.reading.sumWallets) return { ...base, ...addUp(leaf, holdings, vaults) };
  const merged = leaf.reading.sumWallets && leaf.kind !== 'safe' ? mergeHoldings(holdings) : undefined;
  const counted = merged === undefined ? holdings : [merged];
  const evaluated = await Promise.all(counted.map((holding) => readAccount(leaf, holding, queries)));
  const readings = [...evaluated, ...vaults];
  const truths = readings.map(({ truth }) => truth);
  const needed = leaf.kind === 'safe' && leaf.owners !== 'first' ? leaf.owners : 1;
  return { ...base, truth: merged === undefined ? atLeastOf(needed, truths) : mergedTruth(truths), readings };
}

// An unknown vault could turn a yes over all assets into a no.
function mergedTruth(truths: readonly Truth[]): Truth {
  return truths.includes('unknown') ? 'unknown' : anyOf(truths);
}

async function readAccount(leaf: AssetLeaf, holding: Holding, queries: Queries): Promise<AccountReading> {
  if (holding.amount === undefined) return toReading(leaf.asset.chain, holding, 'unknown');
  try {
    const { truth, note } = await evaluateHolding(leaf, holding, holding.amount, queries);
    return { ...toReading(leaf.asset.chain, holding, truth), ...(note !== undefined && { note }) };
  } catch (error) {
    if (!(error instanceof QueryFailed)) throw error;
    return { ...toReading(leaf.asset.chain, holding, 'unknown'), note: error.message };
  }
}

function addUp(leaf: HoldingLeaf, holdings: readonly Holding[], vaults: readonly AccountReading[]) {
  const sum = sumOf(holdings);
  const isComplete = holdings.every(({ amount }) => amount !== undefined) && vaults.length === 0;
  const truth = sumTruth(leaf, sum, isComplete);
  const readings = [...holdings.map((holding) => toReading(leaf.asset.chain, holding, truth)), ...vaults];
  return { truth, readings, sum: formatDecimal(sum) };
}

// Balances are never negative: unknown ones can only increase the sum.
function sumTruth({ min, max }: HoldingLeaf, sum: Decimal, isComplete: boolean): Truth {
  if (max !== undefined && compareDecimals(sum, max) > 0) return 'false';
  const isEnough = compareDecimals(sum, min) >= 0;
  return isComplete || (isEnough && max === undefined) ? truthOf(isEnough) : 'unknown';
}

interface Evaluation {
  truth: Truth;
  note?: string;
}

/** Whether the holdings of one account meet a leaf. Throws `QueryFailed`. */
async function evaluateHolding(
  leaf: AssetLeaf,
  holding: Holding,
  amount: Decimal,
  queries: Queries,
): Promise<Evaluation> {
  switch (leaf.kind) {
    case 'holding': {
      const isEnough = compareDecimals(amount, leaf.min) >= 0;
      return { truth: truthOf(isEnough && (leaf.max === undefined || compareDecimals(amount, leaf.max) <= 0)) };
    }
    case 'safe':
      return evaluateOwner(leaf, holding, amount);
    case 'traits':
      return evaluateTraits(leaf, holding, amount, queries);
    case 'query':
      return evaluateQuery(leaf, holding, amount, queries);
  }
}

// The reader lists an owner's position among the owners as a token: 0 is the first.
function evaluateOwner({ owners }: SafeLeaf, { tokens }: Holding, amount: Decimal): Evaluation {
  const isOwner = amount.units > 0n;
  if (!isOwner || owners !== 'first') return { truth: truthOf(isOwner) };
  if (tokens === undefined) return { truth: 'unknown', note: 'The Safe’s owners were not read.' };
  return { truth: truthOf(tokens.some(({ id }) => id === '0')) };
}

async function evaluateTraits(
  { filter }: TraitsLeaf,
  { tokens = [] }: Holding,
  amount: Decimal,
  queries: Queries,
): Promise<Evaluation> {
  if (tokens.length === 0 && amount.units > 0n) return { truth: 'unknown', note: 'The tokens were not listed.' };
  const isMet = await askTraits(queries, filter, tokens);
  const isWhole = tokens.every(({ metadata }) => metadata !== undefined);
  const canOnlyGrow = filter.filters.every(({ maxCount }) => maxCount === undefined);
  if (isWhole || (isMet && canOnlyGrow)) return { truth: truthOf(isMet) };
  return { truth: 'unknown', note: 'Some token metadata could not be read.' };
}

async function evaluateQuery(
  { asset, query, variables }: QueryLeaf,
  { tokens = [] }: Holding,
  amount: Decimal,
  queries: Queries,
): Promise<Evaluation> {
  const { chain, standard, reference } = asset;
  const item: AssetItem = {
    asset: formatAsset({ chain, standard, reference }),
    balance: formatDecimal(amount),
    tokens: tokens.map(({ id, amount: balance, uri, metadata }) => ({
      id,
      balance,
      ...(uri !== undefined && { uri }),
      ...(metadata !== undefined && { metadata }),
    })),
  };
  return { truth: truthOf(await queries.ask({ kind: 'query', query, input: [item], variables })) };
}

/** What an account holds of an asset: an amount and possibly its tokens, or the reason why it is unknown. */
interface Holding extends CountedAccount {
  answer: Answer;
  amount?: Decimal;
  tokens?: readonly HeldToken[];
}

/** Looks up what was read about an account for a leaf. */
function holdingOf(leaf: AssetLeaf, account: CountedAccount, input: DecideInput): Holding {
  const question = questionOf(leaf, account.account, input);
  const answer = question && input.answers.get(questionKey(question));
  if (answer === undefined) return { ...account, answer: { kind: 'unknown', reason: 'The value was not read.' } };
  if (answer.kind === 'unknown') return { ...account, answer };
  const tokenIds = tokenIdsOf(leaf.asset, input);
  const counts = ({ id }: HeldToken) => tokenIds === undefined || matchesTokenIds(tokenIds, id);
  const tokens = answer.tokens?.filter(counts);
  const amount = amountOf(answer, tokens, tokenIds);
  if (amount === undefined) return { ...account, answer: { kind: 'unknown', reason: 'The value is not a number.' } };
  return { ...account, answer, amount, ...(tokens !== undefined && { tokens }) };
}

// Named tokens are counted here, so that a reader that does not understand the rule's token ids does no harm.
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

// A balance is never negative; a negative value means something else.
function amountRead(text: string): Decimal | undefined {
  const amount = parseDecimal(text);
  return amount === undefined || amount.units < 0n ? undefined : amount;
}

/** Merges all accounts into one that holds everything; one unknown account makes the result unknown. */
function mergeHoldings(holdings: readonly Holding[]): Holding | undefined {
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

/** The sum of the known amounts. */
function sumOf(holdings: readonly Holding[]): Decimal {
  return holdings.reduce((sum, { amount }) => (amount === undefined ? sum : addDecimals(sum, amount)), zero);
}

/** Converts a holding into a reading; the caller decides whether it is enough. */
function toReading(
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
