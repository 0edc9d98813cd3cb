/** The chat platforms, as stored and as the API spells them. */
export type PlatformName = 'discord' | 'telegram' | 'reddit';

/** What one member of a community holds there. Ids are the platform's own: a guild, a user, a role. */
export interface MemberRoles {
  userId: string;
  userName?: string;
  roleIds: readonly string[];
  isBot?: boolean;
  /** True for those from whom the platform lets no bot take anything, as the admins of a chat of Telegram. */
  isProtected?: boolean;
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
}

/** What came of a write. Only `written` was read back and is true on the platform. */
export type WriteOutcome =
  | {
      kind: 'written';
      roleIds: readonly string[];
      calls: number;
      /** The write took the member out of the community, where being in it is a role. */
      hasLeft?: boolean;
    }
  /** The member is not in the community any more. */
  | { kind: 'gone' }
  /** The platform forbids it until a person changes something; `advice` says what. Nothing more is tried meanwhile. */
  | { kind: 'forbidden'; advice: string; roleId?: string }
  /** It may work later. */
  | { kind: 'failed'; reason: string; retryAfterSeconds?: number };

/** A community on a platform whose roles can be read and written. */
export interface RoleHost {
  platform: PlatformName;
  /** Undefined when the user is not a member. Throws `PlatformFailed` when the platform cannot be asked. */
  readMember(communityId: string, userId: string, signal?: AbortSignal): Promise<MemberRoles | undefined>;
  /** Every member that the platform lets us see, in pages. Throws `PlatformFailed` half-way when it stops answering. */
  readMembers(communityId: string, signal?: AbortSignal): AsyncIterable<readonly MemberRoles[]>;
  /** False where the platform shows only some members, so that one who is missing from the pages may still be there. */
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
  /** Who owns the community on the platform; undefined when nobody does. Throws like `administers`. */
  findOwner?(communityId: string, signal?: AbortSignal): Promise<string | undefined>;
  /**
   * The roles that let their holders rule over others there. Throws `PlatformFailed` when the platform cannot be asked.
   * Absent where no role does.
   */
  readRulingRoles?(communityId: string, signal?: AbortSignal): Promise<readonly RulingRole[]>;
  /**
   * Of the roles a member deserves, those that the platform can show together. Absent where it can show all of them.
   */
  settle?(roles: readonly PlatformRole[], deserved: readonly string[]): readonly string[];
  /** How many writes of one community are best under way at a time. */
  writesAtOnce: number;
}

export interface PlatformRole {
  id: string;
  name: string;
  color?: number;
  position?: number;
  /** True for roles that belong to another bot or to the platform, which nobody can give. */
  isManaged?: boolean;
}

/** A role that makes its holders moderators or more. */
export interface RulingRole {
  id: string;
  name: string;
  /** What it lets them do, in the platform's own words; never empty. */
  permissions: readonly string[];
}

/** The platform could not be asked, or does not let us. Its message holds no token. */
export class PlatformFailed extends Error {
  override readonly name = 'PlatformFailed';
  readonly kind: 'unavailable' | 'forbidden' | 'unknown-community' | 'not-configured';
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: PlatformFailed['kind'], message: string, retryAfterSeconds?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
