/** A permission that an operation requires and a token or client application has. */
export interface ScopeInfo {
  group: string;
  description: string;
}

/** The closed list of scopes. An operation can only require scopes from this list. */
export const scopes = {
  'user:read': { group: 'user', description: 'Read the signed-in user’s identity.' },
  'user:community:read': { group: 'user', description: 'Read the communities the user belongs to or administers.' },
  'user:wallet:read': { group: 'user', description: 'Read the wallets the user has linked.' },
  'user:wallet:write': { group: 'user', description: 'Link and unlink the user’s wallets.' },
  'user:pkp:claim': { group: 'user', description: 'Claim a hosted wallet for the user.' },
  'user:pkp:read': { group: 'user', description: 'Read the user’s hosted wallet.' },
  'user:pkp:sign': { group: 'user', description: 'Sign messages with the user’s hosted wallet.' },
  'user:webauthn-credential:read': { group: 'user', description: 'Read the user’s passkeys.' },
  'user:webauthn-credential:write': { group: 'user', description: 'Add, rename and delete the user’s passkeys.' },
  'user:verifiable-credential:read': { group: 'user', description: 'Read the user’s verifiable credentials.' },
  'user:verifiable-credential:write': {
    group: 'user',
    description: 'Issue verifiable credentials on behalf of the user.',
  },
  'verifiable-credential:read': { group: 'verifiable-credential', description: 'Read verifiable credentials.' },
  'verifiable-credential:write': { group: 'verifiable-credential', description: 'Issue verifiable credentials.' },
  'community:read': { group: 'community', description: 'Read communities, their rules and their settings.' },
  'community:write': { group: 'community', description: 'Change communities, their rules and their settings.' },
  'community:analytics': {
    group: 'community',
    description: 'Read statistics about a community’s members and roles.',
  },
  'discord:guild': { group: 'discord', description: 'Read and change Discord server roles and channels.' },
  'discord:user': { group: 'discord', description: 'Read Discord server members.' },
  'discord:message': { group: 'discord', description: 'Send messages to Discord server channels.' },
  'token-gating': { group: 'token-gating', description: 'Check token-gating rules against accounts.' },
  'log-settings': { group: 'log-settings', description: 'Read and change log levels of running processes.' },
  'role-manager': { group: 'role-manager', description: 'Check, apply and schedule members’ role changes.' },
  'rules:plan': {
    group: 'rules',
    description: 'Read a community’s rule set, and preview changes to it with the members who gain or lose roles.',
  },
  'rules:apply': { group: 'rules', description: 'Replace a community’s rule set: rules, guest passes and settings.' },
  'rules:brakes': { group: 'rules', description: 'Change which role changes of a community need approval.' },
  'state:create': { group: 'state', description: 'Store state behind a short link.' },
  'telefrens:waiting-list': { group: 'telefrens', description: 'Use the waiting list.' },
  $public: { group: 'special', description: 'Open to everyone.' },
  $internal: { group: 'special', description: 'Reserved for apps owned by the operator.' },
  $all: { group: 'special', description: 'Every scope.' },
} as const satisfies Record<string, ScopeInfo>;

export type Scope = keyof typeof scopes;

/** The scopes of OpenID Connect. Every application may request them; no operation requires one. */
export const openIdScopes = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'] as const;
export type OpenIdScope = (typeof openIdScopes)[number];

export function isOpenIdScope(id: string): id is OpenIdScope {
  return openIdScopes.some((scope) => scope === id);
}

/** Legacy names that earlier clients still send. */
export const scopeAliases: Readonly<Record<string, Scope>> = {
  'discord-integration:read-tgr-info': 'discord:guild',
  'discord-integration:read-guild-member-info': 'discord:user',
  'discord-integration:read-guild-role': 'discord:guild',
  'discord-integration:read-guild-members': 'discord:guild',
  'discord-integration:send-channel-message': 'discord:message',
};

export function isScope(id: string): id is Scope {
  return Object.hasOwn(scopes, id);
}

/** Returns the scope of an id or a legacy name. */
export function findScope(id: string): Scope | undefined {
  if (isScope(id)) return id;
  return Object.hasOwn(scopeAliases, id) ? scopeAliases[id] : undefined;
}

/** Splits a scope string of an OAuth request at spaces or commas. */
export function splitScopes(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== '');
}
