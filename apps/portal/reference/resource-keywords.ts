/** What readers call a resource who do not know its name, for search alone. By the name in the API. */
const keywords: Readonly<Record<string, string>> = {
  'access-control':
    'does this wallet pass, eligibility check, who holds what, evaluate rules, several wallets at once, gate check',
  account: 'who am I, current user, my profile, linked accounts, userinfo, export my data, delete my account',
  analytics: 'member count over time, growth figures, usage numbers, dashboard data',
  assets: 'prove that a collection is mine, verify ownership of a collection, asset verification, token lookup',
  'axie-infinity': 'Axie traits, Axie parts and classes, Ronin game rules',
  'client-apps':
    'API key, client id and secret, register an app, app credentials, redirect URIs, allowed origins, rotate the client secret',
  communities:
    'add a guild, list my servers, rules of a server, token-gating rules, TPC, create or change a rule, co-admins of a server, install an app',
  config: 'which platforms are on, public configuration, feature flags',
  'dev-orgs':
    'developer account, team of developers, create an organization, confirm the e-mail with a one-time password, OTP mail, join a plan',
  discord:
    'guild roles, channels of a guild, send a message to a channel, bot permissions check, slash commands, Discord proxy',
  discovery: 'well-known document, openid-configuration, issuer metadata, JWKS location, end session endpoint',
  'ethereum-login': 'SIWE, sign-in with Ethereum, nonce and message, verify a signature, wallet session token',
  'ethereum-nfts': 'collection details, traits of a token, tokens of an owner, search a collection by name',
  evm: 'supported chains, chain ids, balance of a contract, token symbol and decimals',
  flow: 'Flow collections, Cadence contracts, NBA Top Shot',
  'hello-action': 'example interaction, echo app, hello world action',
  'hosted-wallets': 'custodial wallet, wallet made by the server, smart account, create a wallet for a user',
  jwt: 'JWKS, public keys, verify a token offline, key rotation, kid',
  kudos: 'thank a member, points for members, leaderboard',
  latchkey:
    'plans of role changes, approve or reject, audit log, shadow mode, member search, sessions, notices, operator actions',
  'log-settings': 'debug output, change the log level at run time, verbosity',
  marketplace: 'list of apps, app listing, ratings, categories of apps, publish a listing',
  miniapps: 'register an interaction app, manifest URL, probe an app, slash command app, app secrets, app review',
  'near-indexer': 'NEAR transactions, transfers by account, minted tokens history, who holds a NEAR token',
  'near-nft': 'mint on NEAR, list an NFT for sale, buy and sell, royalties, NEAR fungible token, deploy a contract',
  'nft-metadata': 'name and picture of a collection, token JSON, contract metadata, describe my contract',
  oauth2:
    'authorization code, access token, refresh token, introspect a token, revoke a token, PKCE, client credentials, is a token still valid',
  payments:
    'Stripe checkout, subscription, invoice portal, price of a plan, upgrade, cancel a subscription, Unlock lock',
  ping: 'is the server up, health probe, latency',
  pkp: 'sign with the hosted key, personal_sign, send a transaction for a user, programmable key pair',
  qrcode: 'QR image, scan with a phone, picture of a link',
  reddit: 'subreddit, flair of a user, link a subreddit',
  'role-manager': 'recheck a member, sync roles now, roles somebody should have, schedule a check, force a refresh',
  scopes: 'list of permissions, what an app may ask for, OAuth scopes explained',
  slugs: 'short URL, one-time link, expiring link',
  snapshot: 'votes and proposals, governance space, new proposal notice',
  'staking-contracts': 'staked NFTs, staking pools that count as owned, add a staking contract',
  states: 'keep a state during login, temporary storage, opaque state value',
  'support-tickets': 'report a problem to the operator, help request, contact support',
  tokenproof: 'tokenproof app, delegate wallet, prove without the hot wallet',
  totp: 'two-factor codes, 2FA, Google Authenticator, recovery codes, otpauth QR',
  'user-authorizations': 'consents of a user, apps with access, revoke consent, remember consent, trusted app',
  'waiting-list': 'sign up for early access, beta list, join the queue',
  'wallet-manager': 'link a wallet, unlink, primary wallet, wallets of a user, nonce to sign, connect to a community',
  webauthn:
    'register a passkey, FIDO2, security key, attestation and assertion options, passwordless login, biometric login',
  webhooks:
    'event types, subscribe to events, payload of an event, verify a webhook signature, delivery retries, callback URL events',
};

export function keywordsOf(name: string): string[] {
  return keywords[name]?.split(', ') ?? [];
}
