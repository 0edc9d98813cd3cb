import {
  type MemberRoles,
  type MemberWrite,
  PlatformFailed,
  type PlatformName,
  type PlatformRole,
  type RoleHost,
  type WriteOutcome,
} from '../ports/index.ts';

/** A chat platform in memory. It is the truth that tests compare with. */
export interface MemoryHost extends RoleHost {
  /** Every write that was asked for, in order. */
  writes: MemberWrite[];
  addCommunity(communityId: string, roles?: readonly PlatformRole[]): void;
  addMember(communityId: string, userId: string, roleIds?: readonly string[]): void;
  /** Makes somebody an administrator of the community, on the platform itself. The first one owns it. */
  addAdmin(communityId: string, userId: string): void;
  removeAdmin(communityId: string, userId: string): void;
  /** Gives a role powers over others, or takes them away with an empty list. */
  setPowers(communityId: string, roleId: string, permissions: readonly string[]): void;
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
      powers: Map<string, readonly string[]>;
    }
  >();
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
      void communities.set(communityId, { roles, members: new Map(), admins: new Set(), powers: new Map() }),
    addMember: (communityId, userId, roleIds = []) => void communities.get(communityId)?.members.set(userId, roleIds),
    addAdmin: (communityId, userId) => void communities.get(communityId)?.admins.add(userId),
    removeAdmin: (communityId, userId) => void communities.get(communityId)?.admins.delete(userId),
    setPowers: (communityId, roleId, permissions) => void communities.get(communityId)?.powers.set(roleId, permissions),
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
    readRulingRoles: async (communityId) => {
      const { roles, powers } = open(communityId);
      return [...powers].flatMap(([id, permissions]) =>
        permissions.length === 0 ? [] : [{ id, name: roles.find((role) => role.id === id)?.name ?? id, permissions }],
      );
    },
    readMember: async (communityId, userId) => {
      const roleIds = open(communityId).members.get(userId);
      return roleIds && { userId, roleIds };
    },
    readMembers: async function* (communityId) {
      const page: MemberRoles[] = [...open(communityId).members].map(([userId, roleIds]) => ({ userId, roleIds }));
      for (let from = 0; from < page.length; from += 1000) yield page.slice(from, from + 1000);
    },
    readRoles: async (communityId) => open(communityId).roles,
    writeMember: async (write) => {
      host.writes.push(write);
      if (failure !== undefined) return { kind: 'failed', reason: failure };
      const forced = decide?.(write);
      if (forced !== undefined) return forced;
      const held = open(write.communityId).members.get(write.userId);
      if (held === undefined) return { kind: 'gone' };
      const roleIds = [...new Set([...held, ...write.add])].filter((id) => !write.remove.includes(id));
      open(write.communityId).members.set(write.userId, roleIds);
      return { kind: 'written', roleIds, calls: 1 };
    },
  };
  return host;
}
