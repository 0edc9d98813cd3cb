import type { PlatformName } from '@latchkey/kernel';

export type { PlatformName };

/** What one member of a community holds there. Ids are the platform's own: a guild, a user, a role. */
export interface MemberRoles {
  userId: string;
  userName?: string;
  roleIds: readonly string[];
  isBot?: boolean;
  /** True for members whose roles no bot can remove, such as the admins of a Telegram chat. */
  isProtected?: boolean;
  /** True for members who have not accepted the server's rules yet. A role would let them skip that, so none is written. */
  isPending?: boolean;
}

/** All changes of one member, carried by as few calls as the platform allows. */
export interface MemberWrite {
  communityId: string;
  userId: string;
  add: readonly string[];
  remove: readonly string[];
  /** What the member held when the change was decided. A member that differs by now is read again before the write. */
  held: readonly string[];
  /** Shown in the platform's own audit log. */
  reason: string;
  /** The user is not in the community and asked to join: `add` lets them in, `remove` turns them away. */
  isJoinRequest?: boolean;
}

/**
 * Why roles cannot be written. `ruling` bars only giving: such a role lets its holders rule over others. `refused` is all
 * that the platform says.
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

/** Something that the platform forbids until a person changes it; `advice` says what to change. */
export interface Refusal {
  advice: string;
  /** Defaults to `refused`. */
  fault?: RoleFault;
  roleId?: string;
  roleName?: string;
  /** What a ruling role lets its holders do, in the platform's own words. */
  permissions?: readonly string[];
  /**
   * How far it reaches: one role of one member, a role, a member, or everything. Defaults to the role. A platform that
   * names neither scope nor role cannot tell which of several changes it is about.
   */
  scope?: 'change' | 'role' | 'member' | 'community';
}

/** What came of a write. Only `written` was read back and is true on the platform. */
export type WriteOutcome =
  | {
      kind: 'written';
      roleIds: readonly string[];
      calls: number;
      /** The write took the member out of the community, where being in it is a role. */
      hasLeft?: boolean;
      /** Changes that the platform forbids, while the others were made. */
      refused?: readonly Refusal[];
    }
  /** The member is not in the community any more. */
  | { kind: 'gone' }
  /** The platform forbids it until a person changes something. */
  | ({ kind: 'forbidden' } & Refusal)
  /** It may work later. */
  | { kind: 'failed'; reason: string; retryAfterSeconds?: number };

/** How a list of members ended. */
export interface MemberListEnd {
  /** False when the list was cut or leaves some out, so that one who is missing from it may still be there. */
  isComplete: boolean;
  /** Why not, for those who manage the community. */
  reason?: string;
}

/** Pages of members. A host that can tell ends them with how complete they are. */
export type MemberPages =
  | AsyncIterable<readonly MemberRoles[], void>
  | AsyncIterable<readonly MemberRoles[], MemberListEnd>;

/** What a platform shows as the picture of a community. */
export type CommunityPicture =
  | { kind: 'none' }
  /** Still the one of the version that was named. */
  | { kind: 'same' }
  /** Untrusted bytes. Empty: the picture is gone or too large. */
  | { kind: 'picture'; version: string; bytes: Uint8Array };

/** A community on a platform whose roles can be read and written. */
export interface RoleHost {
  platform: PlatformName;
  /**
   * Undefined when the user is not a member. Throws `PlatformFailed` when the platform cannot be asked, and
   * `MemberUnreadable` when its answer about this member is malformed.
   */
  readMember(communityId: string, userId: string, signal?: AbortSignal): Promise<MemberRoles | undefined>;
  /** Every member that the platform lets us see, in pages. Throws `PlatformFailed` half-way when it stops answering. */
  readMembers(communityId: string, signal?: AbortSignal): MemberPages;
  /**
   * False where the platform may show only some members, so that one who is missing from the pages may still be there; how
   * the pages end tells for one list.
   */
  listsEveryone?: boolean;
  /** The roles of the community; a Telegram group and a subreddit have fixed ones. */
  readRoles(communityId: string, signal?: AbortSignal): Promise<readonly PlatformRole[]>;
  /** Waits for its turn under the platform's limits, writes, and reads back. Never throws for what the platform answers. */
  writeMember(write: MemberWrite, signal?: AbortSignal): Promise<WriteOutcome>;
  /**
   * Whether the user owns the community on the platform or may change its settings there. Throws `PlatformFailed` when
   * the platform cannot be asked. Absent where it cannot tell.
   */
  administers?(communityId: string, userId: string, signal?: AbortSignal): Promise<boolean>;
  /** The owner of the community on the platform; undefined without one. Throws like `administers`. */
  findOwner?(communityId: string, signal?: AbortSignal): Promise<string | undefined>;
  /**
   * What keeps these roles from being written, as the platform shows it now. Throws `PlatformFailed` when the platform
   * cannot be asked. Absent where only a try can tell.
   */
  findFaults?(communityId: string, roleIds: readonly string[], signal?: AbortSignal): Promise<readonly Refusal[]>;
  /**
   * Of the roles a member deserves, those that the platform can show together. Absent where it can show all of them.
   */
  settle?(roles: readonly PlatformRole[], deserved: readonly string[]): readonly string[];
  /**
   * The picture of the community, unless it is still the one of `version`. Throws `PlatformFailed` when the platform cannot
   * be asked. Absent where communities have none.
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

/** The platform could not be asked, or does not let us. Its message holds no token. */
export class PlatformFailed extends Error {
  override readonly name = 'PlatformFailed';
  /** `malformed`: the platform read the request and cannot use it, regardless of the sender. */
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
