import { AppError, listTokenIds } from '@latchkey/kernel';
import type { ContractProbe } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { chainInWords } from '../naming/index.ts';
import { type Asset, type AssetLeaf, assetLeavesOf, type Rule } from '../rules/index.ts';
import { readerInWords, settingFor } from './setting-for.ts';

/**
 * `undecidable`: cannot be decided with the settings of this server, or never. `degraded`: something that responded
 * before does not respond now. `unknown`: could not be checked, which says nothing about the rule.
 */
export type HealthState = 'ok' | 'degraded' | 'undecidable' | 'unknown';

export const healthStates = ['ok', 'degraded', 'undecidable', 'unknown'] as const satisfies readonly HealthState[];

type ProblemCode =
  | 'no-reader'
  | 'not-supported'
  | 'no-contract'
  | 'standard'
  | 'no-decimals'
  | 'wrong-contract'
  | 'not-answering'
  | 'no-list'
  | 'unreadable'
  | 'not-checked';

/** Something that keeps a rule from being decided. */
export interface RuleProblem {
  code: ProblemCode;
  state: Exclude<HealthState, 'ok'>;
  /** The affected chain or asset. Problems with the same code and subject have the same cause. */
  about: string;
  message: string;
  /** The setting or action that would fix it. */
  action?: string;
}

type CheckContext = Pick<Context, 'holdings' | 'tokenMetadata'>;

type TokenStandard = 'erc20' | 'erc721' | 'erc1155';

const titles: Readonly<Record<TokenStandard, string>> = { erc20: 'ERC20', erc721: 'ERC721', erc1155: 'ERC1155' };

const contractStandards: ReadonlySet<string> = new Set([
  ...Object.keys(titles),
  'superfluid',
  'moloch',
  'staking',
  'safe',
  'call',
]);

/** The maximum number of contracts checked per rule; a tree can name four times as many. */
const mostContracts = 50;

/** Finds what prevents a rule from being decided here, from settings and contracts alone: no holdings are read. */
export async function findRuleProblems(
  ctx: CheckContext,
  rule: Pick<Rule, 'condition'>,
  signal: AbortSignal,
): Promise<RuleProblem[]> {
  const [problems] = await findProblemsOfRules(ctx, [rule], signal);
  return problems ?? [];
}

/** Like `findRuleProblems`, for many rules in the given order: the contracts of all are read together, chain by chain. */
export async function findProblemsOfRules(
  ctx: CheckContext,
  rules: readonly Pick<Rule, 'condition'>[],
  signal: AbortSignal,
): Promise<RuleProblem[][]> {
  const leaves = rules.map(assetLeavesOf);
  const contracts = leaves.map((ofRule) =>
    ofRule
      .map(({ asset }) => asset)
      .filter((asset) => contractStandards.has(asset.standard) && ctx.tokenMetadata.reads(asset.chain))
      .slice(0, mostContracts),
  );
  const found = new Map<Asset, RuleProblem[]>();
  await Promise.all(
    [...Map.groupBy(contracts.flat(), ({ chain }) => chain)].map(async ([chain, assets]) => {
      const problems = await findContractProblems(ctx, chain, assets, signal);
      for (const [index, asset] of assets.entries()) found.set(asset, problems[index] ?? []);
    }),
  );
  return leaves.map((ofRule, index) => {
    const unread = ofRule.flatMap((leaf) => unreadHere(ctx, leaf) ?? []);
    const ofContracts = (contracts[index] ?? []).flatMap((asset) => found.get(asset) ?? []);
    return withoutRepeats([...unread, ...ofContracts]);
  });
}

function unreadHere({ holdings }: CheckContext, { asset, reading, label }: AssetLeaf): RuleProblem | undefined {
  const { chain, standard } = asset;
  if (!holdings.reads({ chain, standard })) return noReader(asset, label);
  if (!reading.delegation || holdings.reads({ chain, standard: 'delegate' })) return undefined;
  const message = `Delegated wallets cannot be read on ${chainInWords(chain)}.`;
  return {
    code: 'not-supported',
    state: 'undecidable',
    about: `${chain}/delegate`,
    message,
    action: withoutDelegation,
  };
}

const withoutDelegation = 'Remove _delegation from the condition.';

function noReader({ chain, standard }: Asset, label: string): RuleProblem {
  const setting = settingFor(chain, standard);
  if (setting === undefined) {
    const message = `Latchkey cannot read ${label}.`;
    const action = 'Use another kind of condition.';
    return { code: 'not-supported', state: 'undecidable', about: `${chain}/${standard}`, message, action };
  }
  const { what, settings } = setting;
  const message = `${what} on this server, so conditions about ${label} can never be decided.`;
  const words = settings.map(({ name, entry }) => `${name} with ${entry}`).join(' and ');
  const about = settings.map(({ entry }) => entry).join(' ');
  return { code: 'no-reader', state: 'undecidable', about, message, action: `The operator can set ${words}.` };
}

/** Finds the problems of each contract from its metadata. If a node does not respond, that is no problem of the contract. */
async function findContractProblems(
  { tokenMetadata }: CheckContext,
  chain: string,
  assets: readonly Asset[],
  signal: AbortSignal,
): Promise<RuleProblem[][]> {
  const contracts = [...new Set(assets.map(({ reference }) => reference))];
  const tokens = [...new Set(assets.filter(isToken).map(({ reference }) => reference))];
  const [codes, answers, probes] = await Promise.all([
    tokenMetadata.readCode(chain, contracts, signal),
    tokens.length === 0 ? [] : tokenMetadata.read(chain, tokens, signal),
    tokenMetadata.probe(chain, assets.map(probeOf), signal),
  ]);
  return assets.map(({ standard, reference, details }, index): RuleProblem[] => {
    const code = codes[contracts.indexOf(reference)];
    const answer = answers[tokens.indexOf(reference)];
    const metadata = answer?.kind === 'read' ? answer.metadata : undefined;
    const about = `${chain}/${reference}`;
    const isTokenRule = isTokenStandard(standard);
    if (isTokenRule && metadata?.standard !== undefined && metadata.standard !== standard) {
      const message = `The contract ${reference} implements ${titles[metadata.standard]}, not ${titles[standard]}.`;
      return [{ code: 'standard', state: 'undecidable', about, message }];
    }
    if (code?.kind !== 'read') return [notAnswering({ chain, standard }, code?.reason)];
    if (!code.hasCode) {
      const message = `There is no contract at ${reference} on ${chainInWords(chain)}.`;
      return [
        { code: 'no-contract', state: 'undecidable', about, message, action: 'Check the address and the chain.' },
      ];
    }
    if (standard === 'erc20' && metadata === undefined)
      return [notAnswering({ chain, standard }, answer?.kind === 'unknown' ? answer.reason : undefined)];
    if (standard === 'erc20' && metadata?.decimals === undefined) {
      const message = `The contract ${reference} does not report decimals(), so amounts of it cannot be compared.`;
      return [{ code: 'no-decimals', state: 'undecidable', about, message, action: callInstead }];
    }
    // A collection that names its standard may still refuse the token that was tried.
    if (standard === 'erc1155' && metadata?.standard === standard) return [];
    const probe = probes[index];
    if (probe?.kind !== 'read') return [notAnswering({ chain, standard }, probe?.reason)];
    if (probe.isAnswered) return [];
    const message = `The contract ${reference} ${whatIsMissing(standard, details)}`;
    return [{ code: 'wrong-contract', state: 'undecidable', about, message, action: anotherContract }];
  });
}

/** One token id stands for all: what the answer is does not matter, only that there is one. */
function probeOf({ standard, reference, tokenIds, details }: Asset): ContractProbe {
  const listed = tokenIds === undefined || 'url' in tokenIds ? undefined : listTokenIds(tokenIds);
  const asked = { standard, reference, ...(details !== undefined && { details }) };
  return standard === 'erc1155' ? { ...asked, tokenIds: listed?.[0] ?? '1' } : asked;
}

const anotherContract = 'Check the address and the chain, or choose another kind of condition.';

function whatIsMissing(standard: string, details: Asset['details']): string {
  if (isTokenStandard(standard)) return `does not answer balanceOf(), as every ${titles[standard]} contract does.`;
  if (standard === 'call') return `does not answer ${details?.function ?? 'this function'} with these arguments.`;
  if (standard === 'safe') return 'is not a Safe: it does not name its owners.';
  if (standard === 'moloch') return 'is not a Moloch DAO: it does not answer members().';
  if (standard === 'superfluid') return 'is not a Superfluid token on this chain.';
  return 'is not a staking contract that Latchkey can read.';
}

const callInstead = 'Check the address, or use a CUSTOM_ABI condition, which states the decimals itself.';

/** The problem for a source that did not respond. The caller decides whether that is an outage or was always so. */
export function notAnswering(
  { chain, standard }: Pick<Asset, 'chain' | 'standard'>,
  reason = 'It did not respond.',
): RuleProblem {
  const reader = readerInWords(chain, standard);
  const name = settingFor(chain, standard)?.settings[0]?.name ?? 'LATCHKEY_CHAIN_URLS';
  return {
    code: 'not-answering',
    state: 'unknown',
    about: reader,
    message: `${reader} could not be read. ${reason}`,
    action: `Latchkey tries again automatically. If it lasts, the operator can check the addresses in ${name}.`,
  };
}

function isToken({ standard }: Asset): boolean {
  return isTokenStandard(standard);
}

function isTokenStandard(standard: string): standard is TokenStandard {
  return Object.hasOwn(titles, standard);
}

function withoutRepeats(problems: readonly RuleProblem[]): RuleProblem[] {
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
}

const timeoutMs = 5_000;

/**
 * Refuses a rule that can never be decided here, with the reason and the setting that would fix it. If a chain cannot
 * be reached, the rule is saved anyway and checked again before it grants or removes a role.
 */
export async function refuseUndecidable(
  ctx: Pick<Context, 'holdings' | 'tokenMetadata'>,
  rule: Pick<Rule, 'condition'>,
  path: string,
): Promise<void> {
  const problems = await findUndecidable(ctx, rule);
  const [first] = problems;
  if (first === undefined) return;
  throw new AppError('VALIDATION_FAILED', `The body at ${path} cannot be used. ${inWords(first)}`, {
    details: problems.map((problem) => ({ path, code: problem.code, message: inWords(problem) })),
  });
}

/** Returns why a rule can never be decided here, in words; empty if it can, or if that could not be checked. */
export async function whyUndecidable(
  ctx: Pick<Context, 'holdings' | 'tokenMetadata'>,
  rule: Pick<Rule, 'condition'>,
): Promise<string[]> {
  return (await findUndecidable(ctx, rule)).map(inWords);
}

async function findUndecidable(
  ctx: Pick<Context, 'holdings' | 'tokenMetadata'>,
  rule: Pick<Rule, 'condition'>,
): Promise<RuleProblem[]> {
  const problems = await findRuleProblems(ctx, rule, AbortSignal.timeout(timeoutMs));
  return problems.filter(({ state }) => state === 'undecidable');
}

function inWords({ message, action }: Pick<RuleProblem, 'message' | 'action'>): string {
  return action === undefined ? message : `${message} ${action}`;
}
