/** A kind of credential, and what follows from it before any scope is checked. */
export interface CredentialKindInfo {
  /** How it is sent. */
  sentAs: string;
  standsFor: 'a person' | 'a client application' | 'the operator';
  /** Through what the caller acts. */
  through: 'own pages' | 'chat platform' | 'key' | 'application' | 'command line';
  /** The most it may do. */
  reach: string;
  lives: string;
  endedBy: string;
  /** It was issued to an application, so it represents the user only within their consent. */
  isDelegated: boolean;
  /** Whether it can sign the user in to applications, as a proof of their presence. */
  logsIn: boolean;
}

const session = {
  standsFor: 'a person',
  through: 'own pages',
  sentAs: 'Authorization: AE …',
  lives: '1 hour',
  endedBy: 'DELETE /latchkey/account/sessions',
  isDelegated: false,
  logsIn: true,
} as const;

const delegated = {
  standsFor: 'a person',
  through: 'application',
  sentAs: 'Authorization: Bearer …',
  isDelegated: true,
  logsIn: false,
} as const;

/** The closed list of credentials. Every caller uses one of these. */
export const credentialKinds = {
  'wallet-session': {
    ...session,
    reach: 'everything the user can do, or less if the wallet was linked with limited access',
  },
  'passkey-session': { ...session, reach: 'the same access as the session that added the passkey' },
  'chat-session': { ...session, reach: 'everything the user can do' },
  'wallet-signature': {
    ...session,
    sentAs: 'Authorization: Ethereum …',
    reach: 'the same access as the session that linked the wallet; off unless the operator allows it',
    lives: '5 minutes, for one request',
    endedBy: 'its use',
    logsIn: false,
  },
  'fixed-text-signature': {
    ...session,
    sentAs: 'Authorization: Ethereum …',
    reach: 'the same read access as the session that linked the wallet; off unless the operator allows it',
    lives: 'as long as the wallet signs in to the account',
    endedBy: 'DELETE /latchkey/account/wallets/{id}/sign-in',
    logsIn: false,
  },
  'connect-link': {
    ...session,
    reach: 'linking wallets and, if the user signed in first, adding passkeys with the same access',
    lives: '15 minutes',
    logsIn: false,
  },
  'consent-token': {
    ...session,
    reach: 'approving or denying one application’s request',
    lives: '15 minutes',
    logsIn: false,
  },
  'operator-token': {
    ...session,
    through: 'command line',
    sentAs: 'Authorization: AE … or Bearer …',
    reach: 'the scopes the operator chose when issuing it',
    lives: 'up to 1 hour',
    logsIn: true,
  },
  'console-session': {
    ...session,
    sentAs: 'Cookie: __Host-latchkey=…',
    reach: 'the same access as the sign-in that opened it, on pages of this server',
    lives: '7 days, or 12 hours without use',
    endedBy: 'DELETE /latchkey/session, DELETE /latchkey/account/sessions',
    logsIn: false,
  },
  'chat-command': {
    ...session,
    through: 'chat platform',
    sentAs: 'a signed interaction of the chat platform',
    reach: 'the commands of the bot',
    lives: 'one interaction',
    endedBy: 'its use',
    logsIn: false,
  },
  'identity-token': {
    ...delegated,
    sentAs: 'Authorization: AE …',
    reach: 'proving the user’s identity to one application',
    lives: '1 hour',
    endedBy: 'DELETE /latchkey/account/sessions',
  },
  'access-token': {
    ...delegated,
    reach: 'the scopes the user authorized, limited to those the operator granted the application',
    lives: '1 hour; with a refresh token up to 180 days',
    endedBy: 'DELETE /user-authorizations/{clientId}',
  },
  'mini-app-token': {
    ...delegated,
    reach: 'the permissions the member allowed in this community',
    lives: 'the period shown to the member',
    endedBy: '/latchkey apps, or DELETE /user-authorizations/{clientId}',
  },
  'api-key': {
    standsFor: 'a client application',
    through: 'key',
    sentAs: 'x-api-key: …',
    reach:
      'the scopes the operator granted the application; in other people’s communities, the scopes an admin granted there',
    lives: 'until it is reset',
    endedBy: 'PATCH /client-apps/{id}/reset-api-key',
    isDelegated: false,
    logsIn: false,
  },
  'client-token': {
    standsFor: 'a client application',
    through: 'application',
    sentAs: 'Authorization: Bearer …',
    reach: 'the requested scopes, limited to those the operator granted',
    lives: '1 hour',
    endedBy: 'POST /oauth2/revoke',
    isDelegated: false,
    logsIn: false,
  },
  'admin-key': {
    standsFor: 'the operator',
    through: 'key',
    sentAs: 'x-api-key: admin….…',
    reach: 'everything except acting as a user',
    lives: 'until it is revoked or expires',
    endedBy: 'latchkey admin-key revoke',
    isDelegated: false,
    logsIn: false,
  },
  'operator-console-session': {
    standsFor: 'the operator',
    through: 'own pages',
    sentAs: 'Cookie: __Host-latchkey=…',
    reach: 'the same access as the admin key that opened it, on pages of this server',
    lives: '7 days, or 12 hours without use, and never longer than its key',
    endedBy: 'DELETE /latchkey/session, or revoking its key',
    isDelegated: false,
    logsIn: false,
  },
} as const satisfies Record<string, CredentialKindInfo>;

export type CredentialKind = keyof typeof credentialKinds;

/** The kinds that represent a user. */
export type PersonCredential = {
  [Kind in CredentialKind]: (typeof credentialKinds)[Kind]['standsFor'] extends 'a person' ? Kind : never;
}[CredentialKind];

export function isPersonCredential(name: string): name is PersonCredential {
  return Object.hasOwn(credentialKinds, name) && credentialKinds[name as CredentialKind].standsFor === 'a person';
}

/** How a user last proved their presence. */
export const presenceProofs = ['wallet', 'passkey', 'chat-login'] as const;
export type PresenceProof = (typeof presenceProofs)[number];

export interface Presence {
  how: PresenceProof;
  at: Date;
}

/** How recent the proof of presence must be for actions that add a login method. */
export const freshPresenceSeconds = 10 * 60;

export function isFresh(presence: Presence | undefined, now: Date): boolean {
  return presence !== undefined && now.getTime() - presence.at.getTime() <= freshPresenceSeconds * 1000;
}
