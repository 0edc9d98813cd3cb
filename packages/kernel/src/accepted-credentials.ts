import { type Access, isOpen, refuse } from './access.ts';
import type { Actor } from './actor.ts';

type Rules = Pick<Access, 'roles' | 'scopes' | 'purpose' | 'limited' | 'isOwn'>;
type Person = Extract<Actor, { kind: 'user' }>;

const ofDeveloper = { id: 'app', name: 'app', allowedScopes: ['$all'], disallowedScopes: [] };
const ofOperator = { ...ofDeveloper, allowedScopes: ['$all', '$internal'] };
const person: Person = {
  kind: 'user',
  userId: 'user',
  platform: 'discord',
  scopes: ['$all'],
  credential: 'wallet-session',
};

/**
 * The kinds of credential that a caller can choose from, each with a caller that has every scope. An operation accepts
 * a kind if its access rules admit that caller, so the kinds need not be listed manually.
 */
export const acceptedKinds = {
  'api-key': {
    meaning: 'A client application’s `x-api-key` on its own.',
    caller: { kind: 'client', client: ofDeveloper, credential: 'api-key' },
  },
  'client-token': {
    meaning: 'A Bearer token issued to a client application itself (client credentials).',
    caller: { kind: 'client', client: ofDeveloper, credential: 'client-token' },
  },
  'access-token': {
    meaning: 'A Bearer token that a user authorized for a client application.',
    caller: { ...person, credential: 'access-token', client: ofDeveloper },
  },
  session: {
    meaning: 'A signed-in user’s AE token. You can send an API key with it.',
    caller: person,
  },
  'console-session': {
    meaning: 'A console user’s session cookie, sent from a page on this server.',
    caller: { ...person, credential: 'console-session' },
  },
  'wallet-signature': {
    meaning: 'An Ethereum header, if the operator allows it.',
    caller: { ...person, credential: 'wallet-signature' },
  },
  'operator-app': {
    meaning: 'A client application that holds `$internal`: its API key together with an AE token, or its access token.',
    caller: { ...person, client: ofOperator },
  },
  'operator-key': {
    meaning: 'The operator’s `x-api-key`, or the cookie of a console session that was opened with it.',
    caller: { kind: 'admin', name: 'operator' },
  },
} as const satisfies Record<string, { meaning: string; caller: Actor }>;

export type AcceptedKind = keyof typeof acceptedKinds;

/** Returns the kinds of credential that an operation accepts; none if it ignores them. */
export function acceptedBy(access: Rules): AcceptedKind[] {
  if (access.roles.length === 0) return [];
  const kinds = (Object.keys(acceptedKinds) as AcceptedKind[]).filter(
    (kind) => refuse(access, acceptedKinds[kind].caller) === undefined,
  );
  // A caller that may act alone may also act through an application.
  return kinds.includes('session') ? kinds.filter((kind) => kind !== 'operator-app') : kinds;
}

type Requirement = Record<string, readonly string[]>;

/**
 * Returns the same in OpenAPI's form: one of the requirements is enough, and the schemes of one requirement are sent
 * together.
 */
export function securityOf(access: Rules): Requirement[] {
  const apiKey: Requirement = { apiKey: [] };
  const session: Requirement = { authenticatedEncryption: [] };
  const both: Requirement = { ...apiKey, ...session };
  const ethereum: Requirement = { ethereum: [] };
  const oauth2: Requirement = { collabLandOAuth2: tokenScopes(access) ?? [] };
  // Credentials are ignored, and may be sent.
  if (access.roles.length === 0) return [{}, apiKey, session, ethereum, oauth2];
  const kinds = acceptedBy(access);
  const takes = (...wanted: AcceptedKind[]) => wanted.some((kind) => kinds.includes(kind));
  const isForOperatorAlone = kinds.every((kind) => kind === 'operator-key');
  const taken = [
    takes('api-key') || isForOperatorAlone ? apiKey : undefined,
    takes('session') ? session : undefined,
    takes('session', 'operator-app') && !takes('api-key') ? both : undefined,
    takes('wallet-signature') ? ethereum : undefined,
    tokenScopes(access) === undefined ? undefined : oauth2,
  ].filter((one) => one !== undefined);
  return isOpen(access) ? [{}, ...taken] : taken;
}

/** Returns the scopes of which a Bearer token needs one; undefined if none is accepted. */
function tokenScopes(access: Rules): readonly string[] | undefined {
  const { scopes, limited } = access;
  const needed = scopes.length === 0 && limited !== undefined && 'scopes' in limited ? limited.scopes : scopes;
  const lets = (caller: Actor) => refuse(access, caller) === undefined;
  if (lets(acceptedKinds['access-token'].caller) || lets(acceptedKinds['client-token'].caller)) return [...needed];
  // A token of the operator's own applications is equivalent to a session.
  return lets({ ...person, credential: 'access-token', client: ofOperator }) ? ['$internal'] : undefined;
}
