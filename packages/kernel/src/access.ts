import type { Actor, ClientRef, Role } from './actor.ts';
import { principalId, rolesOf } from './actor.ts';
import { credentialKinds } from './credential-kinds.ts';
import type { ErrorCode } from './error-codes.ts';
import { isScope, scopes as knownScopes, type Scope } from './scopes.ts';

/** Returns the owner of an operation's object; undefined if it does not exist. */
export type FindOwner<Ctx> = (ctx: Ctx, id: string) => Promise<string | undefined>;

/** Who may call an operation. Stated on every operation; there is no default. */
export interface Access<Ctx = never> {
  /** One of these roles is required; empty means that anyone may call. */
  roles: readonly Role[];
  /** One of these scopes is required; empty means that the roles alone decide. */
  scopes: readonly Scope[];
  /** A credential that was issued for this purpose only is accepted too. */
  purpose?: string;
  /** What lets a limited token call an operation that requires no scope. By default, none may. */
  limited?: LimitedAccess;
  /** A user with a full session may call it too, regardless of the scopes that an application needs. */
  isOwn?: boolean;
  /** The object in this parameter must admit the caller. */
  object?: { param: string; what: string; admits(ctx: Ctx, id: string): Promise<boolean> };
}

/**
 * One of these scopes, or a reason why a token with any scope may call: only for data that anyone could read anyway.
 */
export type LimitedAccess = { scopes: readonly Scope[] } | { harmless: string };

/** Returns the same access, also for tokens of applications and other limited credentials. */
export function alsoLimited<Ctx>(access: Access<Ctx>, limited: LimitedAccess): Access<Ctx> {
  return { ...access, limited };
}

/** Returns the same access, also for users with a full session. */
export function alsoThePerson<Ctx>(access: Access<Ctx>): Access<Ctx> {
  return { ...access, isOwn: true };
}

/** Anyone, with or without a credential. */
export const anyone: Access = { roles: [], scopes: ['$public'] };

/** A user or the operator, not an application. */
export function user(...scopes: Scope[]): Access {
  return { roles: ['$user_account', '$admin'], scopes };
}

/** Only a user with a full session: no application, no limited token, and not the operator on their behalf. */
export const thePerson: Access = { roles: ['$user_account'], scopes: [] };

/** A client application or a user, with one of the scopes. */
export function app(...scopes: Scope[]): Access {
  return { roles: ['$service_account', '$user_account', '$admin'], scopes };
}

/** The operator, or one of the operator's applications if scopes are given. */
export function admin(...scopes: Scope[]): Access {
  return { roles: scopes.length > 0 ? ['$admin', '$service_account'] : ['$admin'], scopes };
}

/** The owner of the object in `param`. For all others the object is not found. */
export function owner<Ctx extends { actor: Actor }>(
  param: string,
  what: string,
  find: FindOwner<Ctx>,
  ...scopes: Scope[]
): Access<Ctx> {
  return guarded(user(...scopes), param, what, async (ctx, id) => owns(ctx.actor, await find(ctx, id)));
}

/** Callers in `access` that the object in `param` admits. For all others the object is not found. */
export function guarded<Ctx>(
  access: Pick<Access, 'roles' | 'scopes'>,
  param: string,
  what: string,
  admits: (ctx: Ctx, id: string) => Promise<boolean>,
): Access<Ctx> {
  return { roles: access.roles, scopes: access.scopes, object: { param, what, admits } };
}

/**
 * Whether no credential is needed. With `$anonymous` among its roles, an operation is open, but uses a credential that
 * is sent.
 */
export function isOpen({ roles }: Pick<Access, 'roles'>): boolean {
  return roles.length === 0 || roles.includes('$anonymous');
}

export type Refusal = { code: ErrorCode; message: string };

/** Checks roles and scopes, before any object is read. Undefined if the caller may continue. */
export function refuse(
  access: Pick<Access, 'roles' | 'scopes' | 'purpose' | 'limited' | 'isOwn'>,
  actor: Actor,
): Refusal | undefined {
  const refusal = refuseByRole(access, actor) ?? refuseByPurpose(access, actor) ?? refuseByReach(access, actor);
  if (refusal !== undefined || (access.isOwn === true && isThePerson(actor))) return refusal;
  return refuseByScope(access.scopes, actor);
}

/** Whether the caller is a user with a full session, not through an application. */
export function isThePerson(actor: Actor): boolean {
  return actor.kind === 'user' && actor.client === undefined && actor.purpose === undefined && !isLimited(actor);
}

/**
 * Whether a credential allows less than its user or application may do: a token of an application, or one without
 * `$all`. An application of the operator is trusted like our own pages.
 */
export function isLimited(actor: Actor): boolean {
  if (actor.kind === 'client') return actor.credential === 'client-token' && !holdsAll(actor.client.allowedScopes);
  if (actor.kind !== 'user') return false;
  if (actor.client?.allowedScopes?.includes('$internal')) return false;
  return credentialKinds[actor.credential].isDelegated || !actor.scopes.includes('$all');
}

function holdsAll(allowed: readonly string[] | null): boolean {
  return allowed === null || allowed.includes('$all');
}

// If no scope is required, no scope was granted either: consent to less is not consent to this.
function refuseByReach(
  { roles, scopes, limited }: Pick<Access, 'roles' | 'scopes' | 'limited'>,
  actor: Actor,
): Refusal | undefined {
  if (scopes.length > 0 || isOpen({ roles }) || !isLimited(actor)) return undefined;
  // A token with a matching purpose was already admitted.
  if (actor.kind === 'user' && actor.purpose !== undefined) return undefined;
  if (limited !== undefined) return 'harmless' in limited ? undefined : refuseByScope(limited.scopes, actor);
  return {
    code: 'SCOPE_NOT_ALLOWED',
    message:
      "No scope grants this operation. Sign in to this server directly, or use your application's API key where the operation accepts one.",
  };
}

function refuseByPurpose({ purpose }: Pick<Access, 'purpose'>, actor: Actor): Refusal | undefined {
  if (actor.kind !== 'user' || actor.purpose === undefined) return undefined;
  if (purpose !== undefined && actor.purpose.startsWith(`${purpose}:`)) return undefined;
  return {
    code: 'SCOPE_NOT_ALLOWED',
    message: 'This token was issued for a different purpose and cannot be used for this operation.',
  };
}

function refuseByRole(access: Pick<Access, 'roles'>, actor: Actor): Refusal | undefined {
  if (isOpen(access)) return undefined;
  if (actor.kind === 'anonymous') {
    return {
      code: 'AUTHENTICATION_REQUIRED',
      message: 'Send a credential: an x-api-key header, or Authorization with AE, Ethereum or Bearer.',
    };
  }
  const held = rolesOf(actor);
  if (access.roles.some((role) => held.includes(role))) return undefined;
  return { code: 'ROLE_NOT_ALLOWED', message: `This operation does not accept ${callerKinds[actor.kind]}.` };
}

const callerKinds = {
  user: 'user accounts',
  client: 'API keys alone; it needs a signed-in user',
  admin: 'the operator',
  system: 'the system',
} as const;

function refuseByScope(needed: readonly Scope[], actor: Actor): Refusal | undefined {
  if (needed.length === 0 || needed.includes('$public') || actor.kind === 'admin' || actor.kind === 'system')
    return undefined;
  const message = `This operation needs one of these scopes: ${needed.join(', ')}.`;
  const client = actor.client;
  const isInternal = client?.allowedScopes?.includes('$internal') ?? false;
  if (actor.kind === 'user' && !isInternal && !intersects(actor.scopes, needed))
    return { code: 'SCOPE_NOT_ALLOWED', message };
  if (client === undefined) return undefined;
  if (isInternal && needed.includes('$internal')) return undefined;
  const open = needed.filter((scope) => scope !== '$internal');
  const allowed = client.allowedScopes === null || intersects(client.allowedScopes, open);
  const barred =
    client.disallowedScopes.includes('$all') || open.every((scope) => client.disallowedScopes.includes(scope));
  return open.length > 0 && allowed && !barred ? undefined : { code: 'SCOPE_NOT_ALLOWED', message };
}

// $all is every scope that can be granted; it does not include the one reserved for the operator's own applications.
function intersects(held: readonly string[], needed: readonly string[]): boolean {
  return needed.some((scope) => held.includes(scope) || (scope !== '$internal' && held.includes('$all')));
}

/** Whether the actor may act on what `ownerId` owns. */
export function owns(actor: Actor, ownerId: string | undefined): boolean {
  if (ownerId === undefined) return false;
  return actor.kind === 'admin' || actor.kind === 'system' || principalId(actor) === ownerId;
}

/**
 * Returns this caller's access as scopes, for a login method that outlives the session: a passkey, a wallet that signs
 * in. Otherwise an application with a few scopes could add its own login method and come back with all scopes.
 */
export function scopesOf(actor: Actor): string[] {
  if (actor.kind !== 'user') return [];
  if (!isLimited(actor) && isUnbound(actor.client)) return [...actor.scopes];
  return Object.keys(knownScopes)
    .filter(isScope)
    .filter((scope) => !scope.startsWith('$') && refuseByScope([scope], actor) === undefined);
}

function isUnbound(client: ClientRef | undefined): boolean {
  return client === undefined || (holdsAll(client.allowedScopes) && client.disallowedScopes.length === 0);
}
