import type { Actor } from '@latchkey/kernel';
import type { FastifyRequest } from 'fastify';

/** The restrictions of the client application behind the request, besides its scopes. */
export interface ClientLimits {
  allowedOrigins: readonly string[];
  allowedReferrers: readonly string[];
  allowedIpAddresses: readonly string[];
  planId: string | undefined;
  /** The key in use has been replaced, and expires soon. */
  isOldKey: boolean;
}

export interface Verified {
  actor: Actor;
  client?: ClientLimits | undefined;
}

/** Turns one credential of one scheme into an actor, or throws INVALID_CREDENTIAL. */
export type Scheme = (value: string, request: FastifyRequest) => Promise<Verified>;

/** The credential schemes, by where they are sent. */
export interface Credentials {
  apiKey: Scheme;
  /** By the first word of the Authorization header, in lower case: ae, ethereum, bearer, dpop. */
  authorization: Readonly<Record<string, Scheme>>;
  /** By the value of the console's cookie. Checking whether it is still valid does not count as a use. */
  consoleSession(secret: string, request: FastifyRequest, isUse: boolean): Promise<Verified>;
  /** Whether an approved client application lists this origin. */
  isKnownOrigin(origin: string): Promise<boolean>;
}
