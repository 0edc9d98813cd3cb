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

/** Who asks. Every credential scheme ends in one of these. */
export type Actor =
  | { kind: 'anonymous'; client?: undefined }
  | {
      kind: 'user';
      userId: string;
      platform: Platform;
      name?: string;
      scopes: readonly string[];
      /** What the credential was made for, such as `consent:…`: it opens the operations that name this purpose, and no other. */
      purpose?: string;
      /** The application the request came through: by its key, or with a token that was issued to it. */
      client?: ClientRef;
      /** Whether the token was issued to that application, so that it stands for the person only as far as they consented. */
      isDelegated?: boolean;
    }
  | {
      kind: 'client';
      client: ClientRef;
      /** Whether it came with a token of its own, which may be less than its key. */
      isToken?: boolean;
    }
  | { kind: 'admin'; name: string; client?: undefined }
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

/** The roles an actor holds before any object is looked at. */
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
