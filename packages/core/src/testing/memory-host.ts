import {
  describeRulingRole,
  type MemberRoles,
  type MemberWrite,
  PlatformFailed,
  type PlatformName,
  type PlatformRole,
  type Refusal,
  type RoleHost,
  type WriteOutcome,
} from '../ports/index.ts';

/** A chat platform in memory. It is the truth that tests compare with. */
export interface MemoryHost extends RoleHost {
  /** Every write that was asked for, in order. */
  writes: MemberWrite[];
  addCommunity(communityId: string, roles?: readonly PlatformRole[]): void;
  addMember(communityId: string, userId: string, roleIds?: readonly string[]): void;
  /** Makes a user an administrator of the community, on the platform itself. The first one owns it. */
  addAdmin(communityId: string, userId: string): void;
  /** The member has not accepted the rules of the community yet, or has now. */
  setPending(communityId: string, userId: string, isPending: boolean): void;
  removeAdmin(communityId: string, userId: string): void;
  /** Gives a role powers over others, or takes them away with an empty list. */
  setPowers(communityId: string, roleId: string, permissions: readonly string[]): void;
  /**
   * From now on a write that holds this role is refused as a whole, until it is called with undefined. A refusal that
   * names no role is all that writers hear; a look at the roles finds it only with a fault.
   */
  breakRole(communityId: string, roleId: string, refusal: Refusal | undefined): void;
  removeMember(communityId: string, userId: string): void;
  rolesOf(communityId: string, userId: string): readonly string[] | undefined;
  /** Decides what the next writes come to; undefined lets them through. */
  interfere(fn: ((write: MemberWrite) => WriteOutcome | undefined) | undefined): void;
  /** From now on nothing is answered, until it is called with undefined. */
  fail(reason: string | undefined): void;
}

export function memoryHost(platform: PlatformName): MemoryHost {
  const communities = new Map<
    string,
    {
      roles: readonly PlatformRole[];
      members: Map<string, readonly string[]>;
      admins: Set<string>;
      pending: Set<string>;
      powers: Map<string, readonly string[]>;
      broken: Map<string, Refusal>;
    }
  >();
  const title = platform[0]?.toUpperCase() + platform.slice(1);
  let decide: ((write: MemberWrite) => WriteOutcome | undefined) | undefined;
  let failure: string | undefined;
  const open = (communityId: string) => {
    if (failure !== undefined) throw new PlatformFailed('unavailable', failure);
    const community = communities.get(communityId);
    if (community === undefined) throw new PlatformFailed('unknown-community', 'The bot is not in this community.');
    return community;
  };
  const host: MemoryHost = {
    platform,
    writes: [],
    writesAtOnce: 4,
    addCommunity: (communityId, roles = []) =>
      void communities.set(communityId, {
        roles,
        members: new Map(),
        admins: new Set(),
        pending: new Set(),
        powers: new Map(),
        broken: new Map(),
      }),
    addMember: (communityId, userId, roleIds = []) => void communities.get(communityId)?.members.set(userId, roleIds),
    addAdmin: (communityId, userId) => void communities.get(communityId)?.admins.add(userId),
    setPending: (communityId, userId, isPending) => {
      const pending = communities.get(communityId)?.pending;
      if (isPending) pending?.add(userId);
      else pending?.delete(userId);
    },
    removeAdmin: (communityId, userId) => void communities.get(communityId)?.admins.delete(userId),
    setPowers: (communityId, roleId, permissions) => void communities.get(communityId)?.powers.set(roleId, permissions),
    breakRole: (communityId, roleId, refusal) => {
      const broken = communities.get(communityId)?.broken;
      if (refusal === undefined) broken?.delete(roleId);
      else broken?.set(roleId, refusal);
    },
    removeMember: (communityId, userId) => void communities.get(communityId)?.members.delete(userId),
    rolesOf: (communityId, userId) => communities.get(communityId)?.members.get(userId),
    interfere: (fn) => {
      decide = fn;
    },
    fail: (reason) => {
      failure = reason;
    },
    administers: async (communityId, userId) => open(communityId).admins.has(userId),
    findOwner: async (communityId) => [...open(communityId).admins][0],
    findFaults: async (communityId, roleIds) => {
      const { roles, powers, broken } = open(communityId);
      return roleIds.flatMap((roleId): Refusal[] => {
        const refusal = broken.get(roleId);
        if (refusal?.fault !== undefined) return [{ roleId, ...refusal }];
        const permissions = powers.get(roleId) ?? [];
        if (permissions.length === 0) return [];
        const roleName = roles.find((role) => role.id === roleId)?.name ?? roleId;
        const advice = describeRulingRole(roleName, permissions, title);
        return [{ roleId, roleName, fault: 'ruling', permissions, advice }];
      });
    },
    readMember: async (communityId, userId) => {
      const { members, pending } = open(communityId);
      const roleIds = members.get(userId);
      return roleIds && { userId, roleIds, ...(pending.has(userId) && { isPending: true }) };
    },
    readMembers: async function* (communityId) {
      const { members, pending } = open(communityId);
      const page: MemberRoles[] = [...members].map(([userId, roleIds]) => ({
        userId,
        roleIds,
        ...(pending.has(userId) && { isPending: true }),
      }));
      for (let from = 0; from < page.length; from += 1000) yield page.slice(from, from + 1000);
    },
    readRoles: async (communityId) => open(communityId).roles,
    writeMember: async (write) => {
      host.writes.push(write);
      if (failure !== undefined) return { kind: 'failed', reason: failure };
      const forced = decide?.(write);
      if (forced !== undefined) return forced;
      const { members, broken } = open(write.communityId);
      const [refusal] = [...write.add, ...write.remove].flatMap((roleId) => broken.get(roleId) ?? []);
      if (refusal !== undefined) return { kind: 'forbidden', ...refusal };
      const held = members.get(write.userId);
      if (held === undefined) return { kind: 'gone' };
      const roleIds = [...new Set([...held, ...write.add])].filter((id) => !write.remove.includes(id));
      members.set(write.userId, roleIds);
      return { kind: 'written', roleIds, calls: 1 };
    },
  };
  return host;
}
