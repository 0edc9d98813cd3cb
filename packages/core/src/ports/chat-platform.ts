import type { PlatformName } from '@latchkey/kernel';

export type { PlatformName };

/** The roles of one member of a community. Ids are the platform's own: a guild, a user, a role. */
export interface MemberRoles {
  userId: string;
  userName?: string;
  roleIds: readonly string[];
  isBot?: boolean;
  /** True for members whose roles no bot can remove, such as the admins of a Telegram chat. */
  isProtected?: boolean;
  /** The beginning of ids of roles that this source does not show: of those, the member has the same as when last seen. */
  unseenPrefix?: string;
  /** True for members who have not accepted the server's rules yet. A role would let them skip that, so none is written. */
  isPending?: boolean;
}

/** All changes of one member, written with as few calls as the platform allows. */
export interface MemberWrite {
  communityId: string;
  userId: string;
  add: readonly string[];
  remove: readonly string[];
  /**
   * The member's roles when the change was decided. If they differ by now, the member is read again before the write.
   */
  held: readonly string[];
  /** Shown in the platform's own audit log. */
  reason: string;
  /** The user is not in the community and requested to join: `add` admits them, `remove` declines the request. */
  isJoinRequest?: boolean;
}

/**
 * Why roles cannot be written. `ruling` applies to grants only: the role has moderation permissions. `refused` means
 * that the platform gives no reason.
 */
export type RoleFault =
  | 'missing'
  | 'managed'
  | 'everyone'
  | 'above-bot'
  | 'ruling'
  | 'permission'
  | 'no-access'
  | 'refused';

/** Something that the platform forbids until an admin changes it; `advice` says what to change. */
export interface Refusal {
  advice: string;
  /** Defaults to `refused`. */
  fault?: RoleFault;
  roleId?: string;
  roleName?: string;
  /** The moderation permissions of a `ruling` role, in the platform's own words. */
  permissions?: readonly string[];
  /**
   * What it affects: one role of one member, a role, a member, or everything. Defaults to the role. If a platform names
   * neither scope nor role, it is unknown which of several changes was refused.
   */
  scope?: 'change' | 'role' | 'member' | 'community';
}

/** The outcome of a write. Only `written` was read back and is visible on the platform. */
export type WriteOutcome =
  | {
      kind: 'written';
      roleIds: readonly string[];
      calls: number;
      /**
       * The member is not in the community any more: this write removed them, on platforms where membership is a role, or they had
       * left before and lost the roles that outlast that.
       */
      hasLeft?: boolean;
      /** Changes that the platform forbids, while the others were applied. */
      refused?: readonly Refusal[];
    }
  /** The member is no longer in the community. */
  | { kind: 'gone' }
  /** The platform forbids it until an admin changes something. */
  | ({ kind: 'forbidden' } & Refusal)
  /** It may work later. */
  | { kind: 'failed'; reason: string; retryAfterSeconds?: number }
  /** Something in the community applies it when it next calls. However long that takes, the change has not failed. */
  | { kind: 'waiting'; reason: string; retryAfterSeconds: number };

/** How a member list ended. */
export interface MemberListEnd {
  /** False if the list was cut off or leaves some members out, so that a missing one may still be a member. */
  isComplete: boolean;
  /** Why not, for community admins. */
  reason?: string;
  /** Roles that people still have who left: see `readLeftRoles`. */
  left?: readonly LeftMember[];
}

/** Someone who left the community, or was removed from it, and what they still have there. */
export interface LeftMember {
  userId: string;
  roleIds: readonly string[];
}

/** Pages of members. A host that knows how complete they are returns that at the end. */
export type MemberPages =
  | AsyncIterable<readonly MemberRoles[], void>
  | AsyncIterable<readonly MemberRoles[], MemberListEnd>;

/** The picture of a community on its platform. */
export type CommunityPicture =
  | { kind: 'none' }
  /** Unchanged since the given version. */
  | { kind: 'same' }
  /** Untrusted bytes. Empty if the picture is gone or too large. */
  | { kind: 'picture'; version: string; bytes: Uint8Array };

/** One thing that a community needs on its platform, as the platform shows it now. */
export interface HostCheck {
  /** The same between runs. */
  id: string;
  subject: 'bot' | 'permission' | 'role';
  /** broken: roles cannot be given until it is fixed. advised: roles work, but people get around a rule. */
  state: 'ok' | 'broken' | 'advised';
  title: string;
  reason: string;
  remedy?: string;
  link?: string;
  roleId?: string;
  roleName?: string;
}

/** A community on a platform whose roles can be read and written. */
export interface RoleHost {
  platform: PlatformName;
  /**
   * Undefined if the user is not a member. Throws `PlatformFailed` if the platform cannot be reached, and
   * `MemberUnreadable` if its data about this member is malformed.
   */
  readMember(communityId: string, userId: string, signal?: AbortSignal): Promise<MemberRoles | undefined>;
  /**
   * The roles that a user still has after they left the community, or were removed from it. Empty if the platform does not say
   * that they left. Throws like `readMember`. Absent if leaving ends every role.
   */
  readLeftRoles?(communityId: string, userId: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** Every member that the platform shows, in pages. Throws `PlatformFailed` half-way if it stops responding. */
  readMembers(communityId: string, signal?: AbortSignal): MemberPages;
  /**
   * False if the platform may show only some members, so that a missing one may still be a member. The end of the pages
   * says whether one list is complete.
   */
  listsEveryone?: boolean;
  /** The roles of the community; a Telegram group and a subreddit have fixed ones. */
  readRoles(communityId: string, signal?: AbortSignal): Promise<readonly PlatformRole[]>;
  /**
   * How many members have each role, by the platform's own count, with one call. Throws `PlatformFailed` if the platform
   * cannot be reached. Absent if the platform does not count.
   */
  countHolders?(communityId: string, signal?: AbortSignal): Promise<ReadonlyMap<string, number>>;
  /**
   * Waits for its turn under the platform's rate limits, writes, and reads back. Never throws for a response of the
   * platform.
   */
  writeMember(write: MemberWrite, signal?: AbortSignal): Promise<WriteOutcome>;
  /**
   * Whether the user owns the community on the platform or may change its settings there. Throws `PlatformFailed` if
   * the platform cannot be reached. Absent if the platform cannot tell.
   */
  administers?(communityId: string, userId: string, signal?: AbortSignal): Promise<boolean>;
  /** The owner of the community on the platform; undefined if there is none. Throws like `administers`. */
  findOwner?(communityId: string, signal?: AbortSignal): Promise<string | undefined>;
  /**
   * What prevents these roles from being written, as the platform shows it now. Throws `PlatformFailed` if the platform
   * cannot be reached. Absent if only a write can tell.
   */
  findFaults?(communityId: string, roleIds: readonly string[], signal?: AbortSignal): Promise<readonly Refusal[]>;
  /**
   * Everything that giving these roles needs in the community's settings, and what in them lets people get around the
   * rules. Throws `PlatformFailed` if the platform cannot be reached. Absent if `findFaults` says all of it.
   */
  checkSetup?(communityId: string, roleIds: readonly string[], signal?: AbortSignal): Promise<readonly HostCheck[]>;
  /**
   * Returns which of the roles that a member qualifies for the platform can show together. Absent if it can show all of
   * them.
   */
  settle?(roles: readonly PlatformRole[], deserved: readonly string[]): readonly string[];
  /**
   * The picture of the community, unless it is unchanged since `version`. Throws `PlatformFailed` if the platform
   * cannot be reached. Absent if communities have none.
   */
  readPicture?(communityId: string, version: string | undefined, signal?: AbortSignal): Promise<CommunityPicture>;
  /** How many concurrent writes per community work best. */
  writesAtOnce: number;
}

export interface PlatformRole {
  id: string;
  name: string;
  color?: number;
  position?: number;
  /** True for roles that belong to another bot or to the platform, which cannot be granted. */
  isManaged?: boolean;
}

/** The platform could not be reached, or refused the request. The message contains no token. */
export class PlatformFailed extends Error {
  override readonly name = 'PlatformFailed';
  /** `malformed`: the platform understood the request but cannot use it, regardless of the sender. */
  readonly kind: 'unavailable' | 'forbidden' | 'malformed' | 'unknown-community' | 'not-configured';
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: PlatformFailed['kind'], message: string, retryAfterSeconds?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The platform's data about one member is malformed: that member is unknown, and the others can still be read. */
export class MemberUnreadable extends PlatformFailed {
  constructor(message: string) {
    super('unavailable', message, 30);
  }
}
