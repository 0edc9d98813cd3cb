import { hashSecret } from '@latchkey/db';
import { addSeconds, chatPlatforms, platformNames, principalId } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { insertLinkChallenge, type LinkChallengeRow } from './challenge-queries.ts';
import { chainTitle } from './wallet-chains.ts';

/** The account that a message is for. */
export interface LinkTarget {
  namespace: string;
  /** The CAIP-2 reference within the namespace. */
  chain: string;
  /** In the canonical notation of its chain. */
  address: string;
  /** The address as the user wrote it, if that differs from the canonical notation. */
  shownAddress?: string | undefined;
  /** The signer, if that is another account: an owner of the contract at the address. */
  signer?: string | undefined;
  /** The community that the wallet is linked for. */
  communityId?: string | undefined;
  /** What members call that community. */
  communityName?: string | undefined;
  /** Whether to sign typed data (EIP-712) instead of a text. */
  asTypedData?: boolean | undefined;
}

interface LinkMessage {
  baseUrl: string;
  userId: string;
  userName: string | undefined;
  target: LinkTarget | undefined;
  nonce: string;
  issuedAt: Date;
  expiresAt: Date;
}

/** Writes the complete text for a wallet to sign: CAIP-122 if the account is known, which on EVM chains is EIP-4361. */
export function writeLinkMessage(message: LinkMessage): string {
  const { target } = message;
  if (target === undefined) return writeOpenMessage(message);
  if (target.asTypedData)
    return writeTypedMessage(message, target, {
      statement: statementOf(message, target),
      resources: resourcesOf(message, target),
    });
  return target.namespace === 'ton' ? writeTonPayload(message) : writeBoundMessage(message, target);
}

const assurance = 'This only proves that the wallet is yours; it costs nothing and moves nothing.';

function times({ nonce, issuedAt, expiresAt }: LinkMessage): string[] {
  return [`Nonce: ${nonce}`, `Issued At: ${issuedAt.toISOString()}`, `Expiration Time: ${expiresAt.toISOString()}`];
}

// The standard requires an account, so without one the first lines are plain text.
function writeOpenMessage(message: LinkMessage): string {
  const { baseUrl, userId, userName } = message;
  return [
    `${new URL(baseUrl).host} asks you to link this wallet to an account.`,
    '',
    assurance,
    '',
    `Account: ${userId}${userName === undefined ? '' : ` (${printable(userName)})`}`,
    `URI: ${baseUrl}`,
    'Version: 1',
    ...times(message),
  ].join('\n');
}

function writeBoundMessage(message: LinkMessage, target: LinkTarget): string {
  const { baseUrl } = message;
  const resources = resourcesOf(message, target);
  return [
    `${new URL(baseUrl).host} wants you to sign in with your ${chainTitle(target.namespace)} account:`,
    target.signer ?? target.address,
    '',
    statementOf(message, target),
    '',
    `URI: ${baseUrl}`,
    'Version: 1',
    `Chain ID: ${target.chain}`,
    ...times(message),
    ...(resources.length === 0 ? [] : ['Resources:', ...resources.map((uri) => `- ${uri}`)]),
  ].join('\n');
}

function statementOf({ userId, userName }: LinkMessage, { signer, communityName }: LinkTarget): string {
  const what = signer === undefined ? 'this wallet' : 'a contract of this wallet';
  const community = inAscii(communityName, /^[-\w.'&!+]*[-\w'!](?: [-\w.'&!+]*[-\w'&!+])*$/);
  const purpose = community === undefined ? '' : ` It counts towards your roles in ${community}.`;
  return `Link ${what} to the account ${accountInWords(userId, userName)}.${purpose} ${assurance}`;
}

/**
 * `ada on Discord (DIS#USER#100)`: the name shows users which account it is, and the id proves that no other account
 * took the name. The signer of hosted wallets parses this too (own-texts.ts).
 */
function accountInWords(userId: string, userName?: string): string {
  const platform = platformNames.find((name) => userId.startsWith(`${chatPlatforms[name].prefix}#`));
  const name = inAscii(userName, /^[-\w.]*[-\w](?: [-\w.]*[-\w])*$/);
  if (platform === undefined || name === undefined) return statable(userId);
  return `${name} on ${chatPlatforms[platform].title} (${statable(userId)})`;
}

const longestName = 40;

/**
 * A name as a statement of EIP-4361 can hold it, which is ASCII alone: without accents, emoji and invisible characters,
 * and shortened. Undefined for a name in another script, or with signs that could be read as a part of the message.
 */
function inAscii(name: string | undefined, pattern: RegExp): string | undefined {
  const plain = (name ?? '')
    .normalize('NFKD')
    .replace(/[‘’]/g, "'")
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{M}|[^\P{S}\p{ASCII}]/gu, '')
    .replace(/ +/g, ' ')
    .trim();
  return pattern.test(plain) ? plain.slice(0, longestName).trimEnd().replace(/\.$/, '') : undefined;
}

/** What the signature is for besides the signing account: a contract, a community. */
function resourcesOf({ baseUrl }: LinkMessage, { signer, chain, address, communityId }: LinkTarget): string[] {
  return [
    ...(signer === undefined ? [] : [`did:pkh:eip155:${chain}:${address}`]),
    ...(communityId === undefined ? [] : [`${baseUrl}/communities/${encodeURIComponent(communityId)}`]),
  ];
}

// A TON wallet also signs its address, this site and the time, and accepts at most 128 bytes besides.
function writeTonPayload({ userId, userName, nonce }: LinkMessage): string {
  const payload = `Link to ${accountInWords(userId, userName)}: ${nonce}`;
  return payload.length <= 128 ? payload : `Link to ${statable(userId).slice(0, 80)}: ${nonce}`;
}

// Names come from chat platforms: a line break in one could add lines to the message.
function printable(name: string): string {
  return [...name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')].slice(0, 100).join('');
}

// Characters that EIP-4361 does not allow in a statement would make the whole message malformed.
function statable(userId: string): string {
  return userId.replace(/[^-A-Za-z0-9_.:#@]/g, '_');
}

const string = (name: string) => ({ name, type: 'string' });

const address = (name: string) => ({ name, type: 'address' });

const types = {
  EIP712Domain: [string('name'), string('version'), { name: 'chainId', type: 'uint256' }],
  LinkWallet: [
    string('statement'),
    string('domain'),
    string('uri'),
    address('account'),
    address('signer'),
    string('user'),
    string('community'),
    string('nonce'),
    string('issuedAt'),
    string('expirationTime'),
    { name: 'resources', type: 'string[]' },
  ],
};

/**
 * Returns the same message as typed data (EIP-712), as the JSON that eth_signTypedData_v4 accepts: everything in the
 * text has its own field, and all of it is signed.
 */
function writeTypedMessage(
  { baseUrl, userId, nonce, issuedAt, expiresAt }: LinkMessage,
  target: LinkTarget,
  { statement, resources }: { statement: string; resources: readonly string[] },
): string {
  const chainId = Number(target.chain);
  return JSON.stringify({
    types,
    primaryType: 'LinkWallet',
    domain: {
      name: new URL(baseUrl).host,
      version: '1',
      // Few chains have an id that JSON cannot represent; wallets accept those as strings.
      chainId: Number.isSafeInteger(chainId) ? chainId : target.chain,
    },
    message: {
      statement,
      domain: new URL(baseUrl).host,
      uri: baseUrl,
      account: target.address,
      signer: target.signer ?? target.address,
      user: userId,
      community: target.communityId ?? '',
      nonce,
      issuedAt: issuedAt.toISOString(),
      expirationTime: expiresAt.toISOString(),
      resources,
    },
  });
}

/** Whether a message is typed data. Our texts never start like this: they start with the server's host. */
export function isTypedLinkMessage(message: string): boolean {
  return message.startsWith('{"types":');
}

export const linkTtlSeconds = 15 * 60;

const stateLength = 32;

type ChallengeContext = Pick<Context, 'actor' | 'clock' | 'random' | 'settings' | 'tx'>;

/** A message to sign, and the state by which the requesting page finds it again. */
export interface LinkChallenge {
  message: string;
  state: string;
}

/**
 * Creates the message whose signature links a wallet to the caller's account, and stores it for 15 minutes. A message
 * with a target is valid only for that account, chain and community.
 */
export async function startLink(
  ctx: ChallengeContext,
  target?: LinkTarget,
  { walletType, userName }: { walletType?: string | undefined; userName?: string | undefined } = {},
): Promise<LinkChallenge> {
  const { actor, settings } = ctx;
  const userId = principalId(actor);
  const issuedAt = ctx.clock();
  const expiresAt = addSeconds(issuedAt, linkTtlSeconds);
  const state = ctx.random.id(stateLength);
  const message = writeLinkMessage({
    baseUrl: settings.baseUrl,
    userId,
    userName: (actor.kind === 'user' ? actor.name : undefined) ?? userName,
    target,
    nonce: ctx.random.id(24),
    issuedAt,
    expiresAt,
  });
  const row: LinkChallengeRow = {
    message_hash: hashSecret(message),
    state_hash: hashSecret(state),
    user_id: userId,
    message,
    namespace: target?.namespace ?? null,
    chain: target?.chain ?? null,
    address: target?.address ?? null,
    signer: target?.signer ?? null,
    shown_address: target?.shownAddress ?? null,
    community_id: target?.communityId ?? null,
    wallet_type: walletType ?? null,
    created_at: issuedAt,
    expires_at: expiresAt,
  };
  await ctx.tx((tx) => insertLinkChallenge(tx, row));
  return { message, state };
}

/** Creates a message that any wallet with a key may sign, and returns its text. */
export async function createLinkChallenge(ctx: ChallengeContext): Promise<string> {
  return (await startLink(ctx)).message;
}
