import type { PersonCredential, Presence } from './credential-kinds.ts';

/** A chat platform or other origin of a user account. */
export type Platform = string;

/** The client application a request came through, as far as access decisions need it. */
export interface ClientRef {
  id: string;
  name: string;
  /** null means unrestricted; the server itself always writes a list. */
  allowedScopes: readonly string[] | null;
  disallowedScopes: readonly string[];
}

/**
 * The caller: who, through what, with which scopes, and when they last proved their presence. Every credential scheme
 * produces one of these.
 */
export type Actor =
  | { kind: 'anonymous'; client?: undefined }
  | {
      kind: 'user';
      userId: string;
      platform: Platform;
      name?: string;
      scopes: readonly string[];
      /** The credential they used; its entry in `credentialKinds` describes it. */
      credential: PersonCredential;
      /** When they last proved their presence; absent for credentials that work without the user. */
      presence?: Presence;
      /** The session, if the credential is one that its owner can end. */
      sessionId?: string;
      /**
       * The purpose that the credential was issued for, such as `consent:…`: it is accepted only by operations with
       * this purpose.
       */
      purpose?: string;
      /** The application that the request came through: by its key, or with a token that was issued to it. */
      client?: ClientRef;
    }
  | {
      kind: 'client';
      client: ClientRef;
      /** A token of the application may have less access than its key. */
      credential: 'api-key' | 'client-token';
    }
  | {
      kind: 'admin';
      name: string;
      /** The admin key they used, or that opened their session. Commands have none. */
      keyId?: string;
      /** The console session, if they used one. */
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

/** Returns the roles of an actor, before any object is read. */
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

/** Returns the id that owns what this actor creates, and under which limits and audit entries are stored. */
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
