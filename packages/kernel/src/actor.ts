import type { PersonCredential, Presence } from './credential-kinds.ts';

/** A chat platform or other place a user account comes from. */
export type Platform = string;

/** The client application a request came through, as far as access decisions need it. */
export interface ClientRef {
  id: string;
  name: string;
  /** null means unrestricted; the server itself always writes a list. */
  allowedScopes: readonly string[] | null;
  disallowedScopes: readonly string[];
}

/** Who asks, through what, with which scopes, and how they were last present. Every credential scheme ends in one of these. */
export type Actor =
  | { kind: 'anonymous'; client?: undefined }
  | {
      kind: 'user';
      userId: string;
      platform: Platform;
      name?: string;
      scopes: readonly string[];
      /** What they came with; its row in `credentialKinds` says through what they act. */
      credential: PersonCredential;
      /** When they last proved to be here themselves; absent for what works without them. */
      presence?: Presence;
      /** The session, where the credential is one that its owner can end. */
      sessionId?: string;
      /** What the credential was made for, such as `consent:…`: it opens the operations that name this purpose, and no other. */
      purpose?: string;
      /** The application the request came through: by its key, or with a token that was issued to it. */
      client?: ClientRef;
    }
  | {
      kind: 'client';
      client: ClientRef;
      /** A token of its own may be less than its key. */
      credential: 'api-key' | 'client-token';
    }
  | {
      kind: 'admin';
      name: string;
      /** The admin key they came with, or whose session it is. Commands have none. */
      keyId?: string;
      /** The session of the console, where they came with one. */
      sessionId?: string;
      client?: undefined;
    }
  | { kind: 'system'; job: string; client?: undefined };

export const roles = [
  '$admin',
  '$customer_support',
  '$service_account',
  '$user_account',
  '$owner',
  '$community_admin',
  '$anonymous',
  '$authenticated',
] as const;
export type Role = (typeof roles)[number];

/** The roles an actor has before any object is read. */
export function rolesOf(actor: Actor): readonly Role[] {
  switch (actor.kind) {
    case 'anonymous':
      return ['$anonymous'];
    case 'user':
      return ['$user_account', '$authenticated'];
    case 'client':
      return ['$service_account', '$authenticated'];
    case 'admin':
    case 'system':
      return ['$admin', '$service_account', '$authenticated'];
  }
}

/** The id that owns what this actor creates, and that limits and audit rows are kept under. */
export function principalId(actor: Actor): string {
  switch (actor.kind) {
    case 'anonymous':
      return '$anonymous';
    case 'user':
      return actor.userId;
    case 'client':
      return `$app/${actor.client.id}`;
    case 'admin':
      return '$admin';
    case 'system':
      return `$system/${actor.job}`;
  }
}
