/** The rows of a generated community, for COPY. Everything is derived from the seed and the community's number. */

/** A rule that the product wrote, which the rules of generated communities copy. */
export interface RuleTemplate {
  id: string;
  definition: string;
  roleId: string;
  contract: string;
  chain: string;
  standard: string;
  reference: string;
}

export interface Shape {
  seed: number;
  membersEach: number;
  rule: RuleTemplate;
  /** The creation time of everything. */
  at: Date;
}

const rulesEach = 2;
const dayMs = 24 * 60 * 60 * 1000;

/** Columns by table, in the order in which the tables refer to each other. */
export const columns = {
  communities:
    'id, platform, community_id, name, status, owner_id, profile, disable_background_checks, next_check_at, created_at, updated_at',
  community_admins: 'community_id, user_id, added_at',
  community_rules: 'id, community_id, role_id, definition, created_at, updated_at',
  rule_assets: 'community_id, chain, standard, reference',
  community_members: 'community_id, user_id, user_name, role_ids, seen_at, last_active_at, checked_at',
  wallet_connections: 'id, user_id, platform, namespace, address, created_at',
  change_sets:
    'id, community_id, cause, status, is_urgent, grants, revokes, calls, unknowns, created_at, finished_at, queued_at',
  change_set_items: 'change_set_id, community_id, user_id, role_id, action, state, rank, reason, blocks, tries',
  role_ledger: 'community_id, user_id, role_id, action, at, change_set_id, is_automatic, reason, blocks',
  audit_entries: 'at, who, through, action, community_id, details',
} as const;
export type Table = keyof typeof columns;

export const communityIdOf = (community: number) => `DIS#COMM#9${digits(community, 17)}`;
export const roleIdOf = (community: number, rule: number) => `8${digits(community * rulesEach + rule, 17)}`;
/** Person 0 is in no community. */
export const userIdOf = (person: number) => `DIS#USER#7${digits(person, 17)}`;
export const adminOf = (community: number) => `DIS#USER#6${digits(community, 17)}`;
// Without letters, an address has only one form.
const walletOf = (person: number) => `0x1${digits(person, 39)}`;
const contractOf = (community: number, rule: number) => `0x2${digits(community * rulesEach + rule, 39)}`;

export interface Member {
  person: number;
  userId: string;
  userName: string;
  roleIds: string[];
  hasWallet: boolean;
  isNew: boolean;
}

/** Every tenth member is also in the previous community; every second person has a wallet. */
export function membersOf(community: number, { seed, membersEach }: Pick<Shape, 'seed' | 'membersEach'>): Member[] {
  return Array.from({ length: membersEach }, (_, place) => {
    const isNew = community === 0 || place % 10 !== 0;
    const person = (isNew ? community : community - 1) * membersEach + place + 1;
    const chance = mix(seed, person);
    const hasWallet = chance % 2 === 0;
    const roleIds = hasWallet && chance % 3 > 0 ? [roleIdOf(community, chance % rulesEach)] : [];
    const userName = `${(mix(seed + 1, person) >>> 0).toString(36)}-${person}`;
    return { person, userId: userIdOf(person), userName, roleIds, hasWallet, isNew };
  });
}

export function* rowsOf(community: number, shape: Shape): Generator<[Table, ...unknown[]]> {
  const { seed, at, rule } = shape;
  const id = communityIdOf(community);
  const admin = adminOf(community);
  const made = new Date(at.getTime() - 30 * dayMs).toISOString();
  // Nothing is due while a benchmark runs, and not everything at once afterwards.
  const due = new Date(at.getTime() + dayMs / 4 + ((mix(seed, community) >>> 0) % dayMs)).toISOString();
  const name = `Community ${community}`;
  yield ['communities', id, 'discord', id.slice(9), name, 'active', admin, '{}', false, due, made, made];
  yield ['community_admins', id, admin, made];
  yield ['audit_entries', made, admin, 'console', 'community.create', id, '{}'];
  for (let n = 0; n < rulesEach; n += 1) {
    const copy = (text: string) =>
      text
        .replaceAll(rule.roleId, roleIdOf(community, n))
        .replaceAll(new RegExp(rule.contract, 'gi'), contractOf(community, n));
    yield ['community_rules', copy(rule.id), id, roleIdOf(community, n), copy(rule.definition), made, made];
    yield ['rule_assets', id, rule.chain, rule.standard, copy(rule.reference)];
  }
  const members = membersOf(community, shape);
  const granted = members.flatMap((member) => member.roleIds.map((roleId) => ({ userId: member.userId, roleId })));
  const changeSetId = `change-set-${community}`;
  yield ['change_sets', changeSetId, id, 'rule', 'done', false, granted.length, 0, granted.length, 0, made, made, made];
  for (const { person, userId, userName, roleIds, hasWallet, isNew } of members) {
    const active = person % 3 === 0 ? new Date(at.getTime() - ((mix(seed, person) >>> 0) % dayMs)).toISOString() : null;
    yield ['community_members', id, userId, userName, `{${roleIds.join(',')}}`, made, active, made];
    if (hasWallet && isNew)
      yield ['wallet_connections', `wallet-${person}`, userId, 'discord', 'evm', walletOf(person), made];
  }
  const blocks = JSON.stringify({ [rule.chain]: '1000' });
  const reason = JSON.stringify({ kind: 'holding', truth: 'true', reference: contractOf(community, 0) });
  for (const { userId, roleId } of granted) {
    yield ['change_set_items', changeSetId, id, userId, roleId, 'grant', 'confirmed', community, reason, blocks, 1];
    yield ['role_ledger', id, userId, roleId, 'grant', made, changeSetId, true, reason, blocks];
  }
}

/** One line of COPY's text format. */
export function lineOf(values: readonly unknown[]): string {
  return `${values.map((value) => (value === null ? '\\N' : escaped(String(value)))).join('\t')}\n`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

/** Returns a pseudorandom number that is always the same for the same two values. */
function mix(seed: number, value: number): number {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(value, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
