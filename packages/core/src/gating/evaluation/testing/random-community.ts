import { addMembers } from '../../../communities/community/testing.ts';
import { userKey } from '../../../shared/qualified-ids.ts';
import { type MemoryHost, type TestPlatform, testPlatform } from '../../../testing/index.ts';
import { erc20Rule, type Guild, setUpGuild } from '../../role-changes/testing/index.ts';
import { anyOf, composeRoles, type RoleComposition, type Truth } from '../../rules/index.ts';

export type Numbers = ReturnType<typeof numbersFrom>;

/** Random numbers that repeat with the same seed (mulberry32). */
export function numbersFrom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const oneOf = <Item>(items: readonly [Item, ...Item[]]): Item => items[below(items.length)] ?? items[0];
  const some = <Item>(items: readonly Item[], share: number) => items.filter(() => next() < share);
  return { below, oneOf, some, chance: (share: number) => next() < share };
}

const roles = ['member', 'a', 'b', 'c', 'd'] as const;
/** No rule grants these, but compositions and guest passes name them. */
const otherRoles = ['x', 'y'] as const;
const contracts = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [string, ...string[]];
/** Reads of this chain fail, so everything on it is unknown. */
export const brokenChain = 'evm:137';

interface PlainRule {
  roleId: string;
  contract: string;
  min: number;
  isReadable: boolean;
}

/** A member as the test knows it. */
export interface RandomMember {
  index: number;
  userId: string;
  held: readonly string[];
  guestRoles: readonly string[];
  amounts: ReadonlyMap<string, number>;
}

export interface RandomCommunity {
  guild: Guild;
  definitions: readonly Record<string, unknown>[];
  /** The first one has no role and no guest pass. */
  members: readonly RandomMember[];
  /** The expected results for a member, computed without the engine: for each role and, by id, for each rule. */
  expect(member: RandomMember): { roles: Map<string, Truth>; rules: Map<string, Truth> };
}

export async function openWorld(seed: string, host: MemoryHost): Promise<TestPlatform> {
  const t = await testPlatform(seed);
  t.services.hosts = { ...t.services.hosts, telegram: host };
  t.holdings.fail(brokenChain, 'The node is down.');
  return t;
}

/** A community with random rules, compositions, members, holdings and guest passes. */
export async function setUpAtRandom(
  t: TestPlatform,
  numbers: Numbers,
  { platform, host }: { platform: 'discord' | 'telegram'; host: MemoryHost },
): Promise<RandomCommunity> {
  const plain = Array.from(
    { length: 1 + numbers.below(6) },
    (): PlainRule => ({
      roleId: numbers.oneOf(roles),
      contract: numbers.oneOf(contracts),
      min: 1 + numbers.below(3),
      isReadable: numbers.chance(0.85),
    }),
  );
  const compositions = Array.from({ length: numbers.below(4) }, () => composeAtRandom(numbers));
  const definitions = [
    ...plain.map(({ roleId, contract, min, isReadable }) => ({
      ...erc20Rule(roleId, String(min), contract),
      chainId: isReadable ? 1 : 137,
    })),
    ...compositions.map((roleComposition) => ({
      scheme: 'role_composition',
      roleId: roleComposition.roleId,
      variables: { roleComposition },
    })),
  ];
  const known = [...roles, ...otherRoles];
  const drawn = [0, 1, 2].map((index) => ({
    index,
    held: index === 0 ? [] : numbers.some(known, 0.4),
    guestRoles: index === 0 ? [] : numbers.some(known, 0.25),
    amounts: new Map(contracts.map((contract) => [contract, numbers.below(4)])),
  }));
  const guild = await setUpGuild(
    { ...t, host },
    { platform, members: drawn.length, rules: definitions, roles: (index) => drawn[index]?.held ?? [] },
  );
  for (const { index, amounts } of drawn) for (const [contract, n] of amounts) guild.hold(index, String(n), contract);
  const members = drawn.map((member) => ({ ...member, userId: userKey(platform, guild.nativeIdOf(member.index)) }));
  // A member that has not been read from the platform yet counts as having no roles, until a read or a resync fetches
  // them.
  await addMembers(
    t,
    guild.id,
    members.map(({ userId, held }) => ({ userId, roleIds: held })),
  );
  for (const member of members) await givePass(t, guild.id, member);
  return { guild, definitions, members, expect: (member) => expectOf(plain, compositions, member) };
}

function composeAtRandom(numbers: Numbers): RoleComposition {
  const known = [...roles, ...otherRoles] as const;
  const roleId = numbers.oneOf(known);
  const seen = numbers.some(known, 0.3).filter((id) => id !== roleId);
  const looked = seen.length > 0 ? seen : known.filter((id) => id !== roleId).slice(0, 1);
  return {
    action: numbers.oneOf(['add', 'remove', 'addOrRemove', 'removeOrAdd']),
    roleId,
    operator: numbers.oneOf(['and', 'or']),
    condition: Object.fromEntries(looked.map((id) => [id, numbers.chance(0.7)])),
  };
}

/** The documented order: rules, then guest passes, then compositions. */
function expectOf(plain: readonly PlainRule[], compositions: readonly RoleComposition[], member: RandomMember) {
  const truthBy = ({ contract, min, isReadable }: PlainRule): Truth =>
    isReadable ? ((member.amounts.get(contract) ?? 0) >= min ? 'true' : 'false') : 'unknown';
  const decided = new Map<string, Truth>();
  for (const rule of plain) {
    const before = decided.get(rule.roleId) ?? 'false';
    decided.set(rule.roleId, anyOf([before, truthBy(rule)]));
  }
  for (const roleId of member.guestRoles) decided.set(roleId, 'true');
  return {
    roles: composeRoles(decided, compositions, member.held),
    rules: new Map(plain.map((rule, index) => [`TPC#${index + 1}`, truthBy(rule)])),
  };
}

async function givePass({ services }: TestPlatform, communityId: string, member: RandomMember): Promise<void> {
  if (member.guestRoles.length === 0) return;
  const id = services.random.id();
  const now = services.clock();
  await services.db.pool.query(
    `insert into guest_passes (id, community_id, name, description, role_set, status, period_seconds, created_by_id, created_at)
     values ($1, $2, 'Guest', '', '[]', 'active', 3600, 'DIS#USER#1', $3)`,
    [id, communityId, now],
  );
  await services.db.pool.query(
    `insert into guest_pass_grants (id, pass_id, community_id, user_id, role_ids, issued_by_id, issued_at, ends_at)
     values ($1, $1, $2, $3, $4, 'DIS#USER#1', $5, $5::timestamptz + interval '1 hour')`,
    [id, communityId, member.userId, member.guestRoles, now],
  );
}
