import { isObject } from '@latchkey/kernel';
import type { Answer, HeldToken, Question } from '../../ports/index.ts';
import { addDecimals, formatDecimal, parseDecimal, zero } from '../../shared/decimal.ts';
import {
  type Asset,
  assetLeavesOf,
  decideRoles,
  type OpenRules,
  questionKey,
  questionsOf,
  type RoleVerdict,
  type RuleWallet,
  readableRules,
  readRule,
  walletNamespaceOf,
} from '../rules/index.ts';
import type { Fields } from './definition.ts';

/** A member of a test, after names were resolved. */
export interface TestMember {
  wallets: readonly { asset: Asset; holding: unknown }[][];
  roleIds: readonly string[];
  /** Values by which rules name passes. */
  passes: readonly string[];
  /** The roles that the member’s passes grant. */
  passRoleIds: readonly string[];
}

/** The asset that these fields of a rule name. Throws VALIDATION_FAILED. */
export function assetOf(fields: Fields): Asset | undefined {
  return assetLeavesOf(readRule(fields))[0]?.asset;
}

/**
 * Decides the roles of a test’s member: with the code that decides those of real members, and with answers made from the test
 * instead of a chain.
 */
export async function decideTest(rules: OpenRules, member: TestMember): Promise<RoleVerdict[]> {
  const now = new Date(0);
  const wallets = member.wallets.flatMap((holdings, index) => walletsOf(holdings, index));
  const answers = new Map<string, Answer>();
  // Vaults are asked for first, and nobody delegated to these wallets.
  for (let round = 0; round < 2; round += 1)
    for (const rule of readableRules(rules))
      for (const question of questionsOf(rule, wallets, { now, answers }))
        answers.set(questionKey(question), answerTo(question, member));
  return decideRoles(rules, {
    requestedBy: 'test',
    now,
    wallets,
    answers,
    tokenLists: new Map(),
    memberRoles: member.roleIds,
    guestPasses: member.passes,
    guestRoles: member.passRoleIds,
  });
}

/** One wallet on every chain that its holdings are on. */
function walletsOf(holdings: TestMember['wallets'][number], index: number): RuleWallet[] {
  const namespaces = new Set(holdings.map(({ asset }) => walletNamespaceOf(asset.chain)));
  if (namespaces.size === 0) namespaces.add('evm');
  return [...namespaces].map((namespace) => ({ namespace, address: addressOf(index) }));
}

function addressOf(index: number): string {
  return `0x${(index + 1).toString(16).padStart(40, '0')}`;
}

function answerTo(question: Question, { wallets }: TestMember): Answer {
  if (question.standard === 'delegate') return { kind: 'read', amount: '0', tokens: [] };
  const held = wallets
    .filter((_holdings, index) => addressOf(index) === question.account)
    .flat()
    .filter(({ asset }) => isSame(asset, question));
  if (held.length === 0) return { kind: 'read', amount: '0', tokens: [] };
  const answers = held.map(({ holding }) => toAnswer(holding));
  return answers.find(({ kind }) => kind === 'unknown') ?? addUp(answers);
}

function isSame(asset: Asset, { chain, standard, reference }: Question): boolean {
  return (
    asset.chain === chain && asset.standard === standard && asset.reference.toLowerCase() === reference.toLowerCase()
  );
}

function toAnswer(holding: unknown): Answer {
  if (holding === 'unknown') return { kind: 'unknown', reason: 'The test says that this cannot be read.' };
  if (!isObject(holding)) return { kind: 'read', amount: String(holding) };
  const tokens = Array.isArray(holding.tokens) ? holding.tokens.filter(isObject).map(toToken) : undefined;
  const sum = tokens?.reduce((total, { amount }) => addDecimals(total, parseDecimal(amount) ?? zero), zero);
  const amount = holding.amount === undefined ? formatDecimal(sum ?? zero) : String(holding.amount);
  return { kind: 'read', amount, ...(tokens !== undefined && { tokens }) };
}

function toToken({ id, amount = '1', traits = {} }: Fields, index: number): HeldToken {
  const attributes = Object.entries(isObject(traits) ? traits : {}).map(([trait_type, value]) => ({
    trait_type,
    value,
  }));
  return { id: String(id ?? index + 1), amount: String(amount), metadata: { attributes } };
}

function addUp(answers: readonly Answer[]): Answer {
  const read = answers.flatMap((answer) => (answer.kind === 'read' ? [answer] : []));
  const sum = read.reduce((total, { amount }) => addDecimals(total, parseDecimal(amount) ?? zero), zero);
  const lists = read.flatMap(({ tokens }) => (tokens === undefined ? [] : [tokens]));
  return {
    kind: 'read',
    amount: formatDecimal(sum),
    ...(lists.length === read.length && lists.length > 0 && { tokens: lists.flat() }),
  };
}
