import type { Actor } from '@latchkey/kernel';
import type { FastifyRequest } from 'fastify';

/** What the client application in play restricts, beside its scopes. */
export interface ClientLimits {
  allowedOrigins: readonly string[];
  allowedReferrers: readonly string[];
  allowedIpAddresses: readonly string[];
  planId: string | undefined;
  /** The key that was used has been replaced, and works for a while yet. */
  isOldKey: boolean;
}

export interface Verified {
  actor: Actor;
  client?: ClientLimits | undefined;
}

/** Turns one credential of one scheme into an actor, or throws INVALID_CREDENTIAL. */
export type Scheme = (value: string, request: FastifyRequest) => Promise<Verified>;

/** The schemes, by how they arrive. */
export interface Credentials {
  apiKey: Scheme;
  /** By the word that starts the Authorization header, in lower case: ae, ethereum, bearer. */
  authorization: Readonly<Record<string, Scheme>>;
  /** By what the cookie of the console holds. Looking whether it still counts is not a use of it. */
  consoleSession(secret: string, request: FastifyRequest, isUse: boolean): Promise<Verified>;
  /** True when some approved client application lists this origin. */
  isKnownOrigin(origin: string): Promise<boolean>;
}
