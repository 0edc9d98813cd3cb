import type { PlatformIdentity } from './identity-provider.ts';

/** The tokens with which Discord lets this server act for a user. Both are secrets. */
export interface GrantedTokens {
  accessToken: string;
  refreshToken: string;
  expiresInSeconds: number;
}

/** How Discord compares a value with what a server's admin requires. */
export type LinkedRoleComparison = 'integer-at-least' | 'days-since-at-least';

/** One linked-role value of this server. Discord accepts five at most. */
export interface LinkedRoleRecord {
  /** Lowercase letters, digits and _. */
  key: string;
  name: string;
  description: string;
  comparison: LinkedRoleComparison;
}

export interface LinkedRoleRegistration {
  /** Where Discord sends people who want to connect. */
  verificationUrl: string | undefined;
  records: readonly { key: string; name: string; description: string; comparison: LinkedRoleComparison | undefined }[];
}

/**
 * Discord's linked roles: this server shares values of users who authorized it, and admins of Discord servers create
 * roles that require them. Every method throws `PlatformFailed`; `forbidden` means that the user's authorization is no
 * longer valid.
 */
export interface LinkedRoles {
  /** Discord's `iss` parameter in its responses (RFC 9207). */
  issuer: string;
  /** The URL where the user authorizes it. */
  start(request: { state: string; redirectUri: string; codeChallenge: string }): string;
  finish(
    answer: { code: string; redirectUri: string; codeVerifier: string },
    signal?: AbortSignal,
  ): Promise<{ identity: PlatformIdentity; tokens: GrantedTokens }>;
  /** Returns new tokens; the old ones stop working. */
  refresh(refreshToken: string, signal?: AbortSignal): Promise<GrantedTokens>;
  /** Sends all values of one user. A missing value is removed. */
  send(
    accessToken: string,
    report: { userId: string; platformName: string; userName: string; values: Readonly<Record<string, string>> },
    signal?: AbortSignal,
  ): Promise<void>;
  revoke(refreshToken: string, signal?: AbortSignal): Promise<void>;
  readRegistration(signal?: AbortSignal): Promise<LinkedRoleRegistration>;
  register(records: readonly LinkedRoleRecord[], verificationUrl: string, signal?: AbortSignal): Promise<void>;
}
