import { AppError, type ErrorDetail, op, record, T, text, type ValueOf } from '@latchkey/kernel';
import { confirmedCommunityAdmin, ownCommunity } from '../../communities/access/index.ts';
import { selectPresent, walletsInCommunity } from '../../communities/memberships/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { readAnswers } from '../evaluation/index.ts';
import { findKnownToken } from '../known-tokens/index.ts';
import { chainInWords, plainName } from '../naming/index.ts';
import { findRuleProblems } from '../rule-health/index.ts';
import { type Asset, assetLeavesOf, questionKey, questionsOf, type Rule, readRule } from '../rules/index.ts';
import { rememberContracts } from './remember-contracts.ts';

const ContractFacts = record('ContractFacts', 'What a chain says about a contract that a condition names.', {
  chainName: T.Optional(text('The name of the chain; absent if the condition names no asset yet.')),
  standard: T.Optional(text('The token standard that was detected, for example ERC721. Absent for other contracts.')),
  name: T.Optional(text('Its name.')),
  symbol: T.Optional(text('Its symbol.')),
  decimals: T.Optional(T.Number({ description: 'How many decimals an amount has.' })),
  holders: T.Optional(T.Number({ description: 'How many of the checked members hold it; absent if not readable.' })),
  checkedMembers: T.Optional(T.Number({ description: 'How many members with a wallet were checked for that.' })),
  problems: T.Array(
    record('ContractProblem', 'Something that keeps a condition about this contract from being decided.', {
      code: text('What kind of problem it is, as in the health of a rule.'),
      message: text('What is wrong.', { maxLength: 4096 }),
      action: T.Optional(text('The setting or the action that would change it.', { maxLength: 4096 })),
    }),
    { description: 'Empty when the condition can be decided.', maxItems: 20 },
  ),
});
type ContractFacts = ValueOf<typeof ContractFacts>;

export const contractOperations = [
  op(
    'GET /latchkey/communities/{communityId}/contract',
    {
      id: 'describeContract',
      summary: 'Describe a contract',
      description:
        'Returns the name, symbol and standard of a contract, how many members hold it (of the first 200 with a wallet), and everything that keeps a condition about it from being decided, as in the health of a rule. Reads the chain while you wait. For community admins.',
      access: confirmedCommunityAdmin('communityId', 'role-manager'),
      params: {
        communityId: communityParam,
        type: text('The type of the condition, for example ERC20.', { minLength: 1, maxLength: 40 }),
        contractAddress: text('The contract, mint or collection.', { minLength: 1, maxLength: 512 }),
        chainId: T.Optional(
          T.Number({ description: 'The EVM chain.', minimum: 1, maximum: 999_999_999_999_999, multipleOf: 1 }),
        ),
        tokenId: T.Optional(text('The token ids that count, for types that need them.', { maxLength: 4000 })),
      },
      returns: ContractFacts,
    },
    describeContract,
  ),
] as const;

interface ContractRequest {
  communityId: string;
  type: string;
  contractAddress: string;
  chainId?: number | undefined;
  tokenId?: string | undefined;
}

const timeoutMs = 6_000;

/** What rule health finds out about a condition that names this contract, before anything else of the rule is known. */
export async function describeContract(
  ctx: Context,
  { communityId, ...requested }: ContractRequest,
): Promise<ContractFacts> {
  const community = await ownCommunity(ctx, communityId);
  const rule = tryReading(requested);
  if ('problems' in rule) return rule;
  const [leaf] = assetLeavesOf(rule);
  if (leaf === undefined) return { problems: [] };
  const { asset } = leaf;
  const signal = AbortSignal.timeout(timeoutMs);
  const chains = { ...ctx, tokenMetadata: rememberContracts(ctx.tokenMetadata) };
  const [problems, facts] = await Promise.all([
    findRuleProblems(chains, rule, signal),
    readFacts(chains, asset, signal),
  ]);
  const canCount = problems.length === 0 && countable.has(asset.standard);
  return {
    chainName: chainInWords(asset.chain),
    ...facts,
    ...(canCount && (await countHolders(ctx, community.id, rule, signal))),
    problems: problems.map(({ code, message, action }) => ({ code, message, ...(action && { action }) })),
  };
}

/** Without token ids an ERC1155 condition cannot be read, so that the contract alone is looked at with any id. */
function tryReading({ type, ...fields }: Omit<ContractRequest, 'communityId'>): Rule | ContractFacts {
  try {
    return readRule({ type, ...fields, tokenId: fields.tokenId ?? (/1155$/.test(type) ? '0' : undefined) });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const details: readonly ErrorDetail[] = Array.isArray(error.details) ? error.details : [];
    const messages = details.length === 0 ? [error.message] : details.map(({ message }) => capital(message));
    return { problems: messages.slice(0, 20).map((message) => ({ code: 'unreadable', message })) };
  }
}

const standards = { erc20: 'ERC20', erc721: 'ERC721', erc1155: 'ERC1155' } as const;

async function readFacts(
  { tokenMetadata }: Pick<Context, 'tokenMetadata'>,
  { chain, reference }: Asset,
  signal: AbortSignal,
): Promise<Omit<ContractFacts, 'problems'>> {
  const known = findKnownToken(chain, reference);
  const isRead = tokenMetadata.reads(chain) && /^0x[0-9a-f]{40}$/.test(reference);
  const [answer] = isRead ? await tokenMetadata.read(chain, [reference], signal) : [];
  const found = answer?.kind === 'read' ? answer.metadata : undefined;
  const { name = known?.name, symbol = known?.symbol, decimals = known?.decimals } = found ?? {};
  return {
    ...(found?.standard !== undefined && { standard: standards[found.standard] }),
    ...(name !== undefined && { name: plainName(name) }),
    ...(symbol !== undefined && { symbol: plainName(symbol) }),
    ...(decimals !== undefined && { decimals }),
  };
}

/** Standards of which an amount says whether an account holds any. */
const countable: ReadonlySet<string> = new Set([...Object.keys(standards), 'spl', 'moloch']);
const membersLookedAt = 1_000;
const mostChecked = 200;

async function countHolders(
  ctx: Context,
  communityId: string,
  rule: Rule,
  signal: AbortSignal,
): Promise<Pick<ContractFacts, 'holders' | 'checkedMembers'>> {
  const members = await selectPresent(ctx.db.system, communityId, '', membersLookedAt);
  const ids = members.map(({ user_id }) => user_id);
  const linked = await walletsInCommunity(ctx.db.system, communityId, ids, ctx.settings);
  const requested = [...linked.values()]
    .slice(0, mostChecked)
    .map((wallets) => questionsOf(rule, wallets.slice(0, 5), { now: ctx.clock() }));
  const answers = await readAnswers(ctx, requested.flat(), { signal });
  const outcomes = requested
    .filter((questions) => questions.length > 0)
    .map((questions) => questions.map((question) => answers.get(questionKey(question))));
  const read = outcomes.filter((given) => given.every((answer) => answer?.kind === 'read'));
  if (read.length === 0) return {};
  const holders = read.filter((given) =>
    given.some((answer) => answer?.kind === 'read' && /[1-9]/.test(answer.amount)),
  );
  return { holders: holders.length, checkedMembers: read.length };
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
