import type { AccountReading, GroupReason, LeafReason, RoleComposition, Truth } from '../rules/index.ts';

export type ReadReason = ReadGroup | LeafReason;

type ReadGroup = Omit<GroupReason, 'parts'> & { parts: ReadReason[] };

/** A reason as stored with a change, including by earlier versions that stored less. */
export interface ReadRole {
  truth: Truth;
  rules: { id: string; truth: Truth; reason?: ReadReason; problem?: string }[];
  compositions: RoleComposition[];
  isGuest: boolean;
  isOutranked: boolean;
  isAwaitingScreening: boolean;
  isRuleDeleted: boolean;
  hasLeft: boolean;
  /** The change set that was undone. */
  undoes?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Parses a stored reason; undefined if it has no content. */
export function readRoleReason(value: unknown): ReadRole | undefined {
  if (!isFields(value)) return undefined;
  return {
    truth: truthIn(value.truth),
    rules: listIn(value.rules).map(readRule),
    compositions: listIn(value.compositions).flatMap(readComposition),
    isGuest: value.isGuest === true,
    isOutranked: value.isOutranked === true,
    isAwaitingScreening: value.isAwaitingScreening === true,
    isRuleDeleted: value.isRuleDeleted === true,
    hasLeft: value.hasLeft === true,
    ...(typeof value.undoes === 'string' && { undoes: value.undoes }),
  };
}

function readRule(rule: Fields): ReadRole['rules'][number] {
  const reason = isFields(rule.reason) ? readReason(rule.reason) : undefined;
  return {
    id: textIn(rule.id),
    truth: truthIn(rule.truth),
    ...(reason !== undefined && { reason }),
    ...(typeof rule.problem === 'string' && { problem: rule.problem }),
  };
}

function readReason(value: Fields): ReadReason | undefined {
  const truth = truthIn(value.truth);
  switch (value.kind) {
    case 'leaf':
      return {
        kind: 'leaf',
        truth,
        rule: textIn(value.rule),
        needed: textIn(value.needed),
        readings: listIn(value.readings).map(readAccount),
        ...(typeof value.asset === 'string' && { asset: value.asset }),
        ...(typeof value.sum === 'string' && { sum: value.sum }),
        ...(typeof value.note === 'string' && { note: value.note }),
        ...((value.concealed === 'secret' || value.concealed === 'hidden') && { concealed: value.concealed }),
      };
    case 'and':
    case 'or':
    case 'not':
    case 'at-least':
      return {
        kind: value.kind,
        truth,
        ...(typeof value.count === 'number' && { count: value.count }),
        parts: listIn(value.parts).flatMap((part) => readReason(part) ?? []),
      };
    default:
      return undefined;
  }
}

/** Wallets and vaults stay behind: no words are made of them. Why one could not be read names no address. */
function readAccount({ chain, truth, value, note }: Fields): AccountReading {
  return {
    wallet: '',
    chain: textIn(chain),
    truth: truthIn(truth),
    ...(typeof value === 'string' && { value }),
    ...(truthIn(truth) === 'unknown' && typeof note === 'string' && { note }),
  };
}

function readComposition({ action, roleId, operator, condition }: Fields): RoleComposition[] {
  if (!isFields(condition)) return [];
  return [
    {
      action: action === 'remove' || action === 'removeOrAdd' || action === 'addOrRemove' ? action : 'add',
      roleId: textIn(roleId),
      operator: operator === 'or' ? 'or' : 'and',
      condition: Object.fromEntries(Object.entries(condition).map(([id, isHeld]) => [id, isHeld === true])),
    },
  ];
}

function truthIn(value: unknown): Truth {
  return value === 'true' || value === 'false' ? value : 'unknown';
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a reason as a member may read it. A secret condition is mentioned without its requirement. A hidden one is
 * left out, unless it decided the result: a role that is missing without a reason would look like a bug.
 */
export function concealReason(reason: ReadReason, outcome: Truth): ReadReason | undefined {
  if (reason.kind === 'leaf') {
    if (reason.concealed === undefined) return reason;
    if (reason.concealed === 'hidden' && (outcome === 'true' || reason.truth !== outcome)) return undefined;
    return { kind: 'leaf', truth: reason.truth, rule: '', needed: 'a hidden condition', readings: [] };
  }
  const wanted = reason.kind === 'not' ? opposite(outcome) : outcome;
  const parts = reason.parts.flatMap((part) => concealReason(part, wanted) ?? []);
  return parts.length === 0 ? undefined : { ...reason, parts };
}

/** The truth that counts below a `not`. */
export function opposite(truth: Truth): Truth {
  if (truth === 'unknown') return truth;
  return truth === 'true' ? 'false' : 'true';
}
