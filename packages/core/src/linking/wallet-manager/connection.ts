import { hashSecret } from '@latchkey/db';
import {
  type Actor,
  AppError,
  choice,
  principalId,
  record,
  refuse,
  type Scope,
  T,
  text,
  texts,
  user,
  type ValueOf,
} from '@latchkey/kernel';
import { verifyAeToken } from '../../identity/credentials/index.ts';
import { openState } from '../../identity/states/index.ts';
import { findLinkChallenge, linkTtlSeconds, WalletConnection } from '../../identity/wallets/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { walletTypes } from './namespaces.ts';

/** The result of an attempt to connect a wallet. Programs switch on it; the message is for people. */
export const connectionCodes = {
  CONNECTED: 'The wallet is linked now.',
  ALREADY_CONNECTED: 'The wallet was already linked to this account.',
  VERIFIED: 'The proof is valid; nothing was stored because of verifyOnly.',
  SIGNATURE_REQUIRED: 'Sign the message with the wallet, and send the signature.',
  CHALLENGE_UNKNOWN: 'The message is unknown, used or expired: request a new one.',
  SIGNATURE_INVALID: 'The proof is invalid; the message cannot be used again.',
  WALLET_TAKEN: 'Another account in one of your communities has linked the wallet; use resetToken to move it.',
  NOT_AN_OWNER: 'The signer is not an owner of the contract.',
  PROXY_REQUIRED: 'Choose one of the proxies and continue with the resume operation.',
  NO_PROXY: 'The signer has no proxy of that type.',
  CODE_NOT_FOUND: 'The public profile does not show the code.',
} as const;

export type ConnectionCode = keyof typeof connectionCodes;

const FlowCompositeSignature = record('FlowCompositeSignature', 'One signature of a Flow account.', {
  f_type: T.Optional(text('CompositeSignature.', { maxLength: 64 })),
  f_vsn: T.Optional(text('The version of the form.', { maxLength: 16 })),
  addr: T.Optional(text('The account.', { maxLength: 64 })),
  keyId: T.Optional(
    T.Union([T.String({ maxLength: 16 }), T.Number()], { description: 'The number of the key in the account.' }),
  ),
  signature: T.Optional(text('The signature, as hex digits.', { maxLength: 256 })),
});

const VenlyCompositeSignature = record('VenlyCompositeSignature', 'The profile that Venly sends.', {
  email: T.Optional(text('Ignored.')),
  firstName: T.Optional(text('Ignored.')),
  lastName: T.Optional(text('Ignored.')),
  nickname: T.Optional(text('Ignored.')),
  userId: T.Optional(text('Ignored.')),
  username: T.Optional(text('Ignored.')),
});

const marks = T.Unsafe<Record<string, boolean>>({
  type: 'object',
  description: 'Flags to store with the wallet.',
  additionalProperties: { type: 'boolean' },
  propertyNames: { maxLength: 64 },
  maxProperties: 50,
});

const common = {
  id: T.Optional(
    text('An AE token of the user; defaults to the user of the Authorization header.', { maxLength: 8192 }),
  ),
  address: T.Optional(text('The address of the wallet, in any notation.', { maxLength: 128 })),
  accountId: T.Optional(text('The account in CAIP-10 format, which includes the chain.', { maxLength: 200 })),
  metadata: T.Optional(marks),
  verifyOnly: T.Optional(T.Boolean({ description: 'Only check whether the proof is valid; store nothing.' })),
  proxyType: T.Optional(
    text(
      'gnosis for a Safe, dsproxy for a proxy of MakerDAO, epsproxy for a wallet that nominated the signer with EPS.',
      {
        maxLength: 32,
      },
    ),
  ),
  walletType: T.Optional(
    text(`The wallet type. One of ${walletTypes.join(', ')}; case, spaces and hyphens are ignored.`, {
      maxLength: 64,
    }),
  ),
};

const network = T.Optional(text('The network, by name.', { maxLength: 64 }));

const state = T.Optional(text('The state of the response that requested a signature.', { maxLength: 64 }));

export const VenlyWalletConnectionRequest = record(
  'VenlyWalletConnectionRequest',
  'The wallet that the user chose at Venly.',
  {
    ...common,
    selectedWallet: T.Optional(text('The address that was chosen.', { maxLength: 128 })),
    venlyWallets: T.Optional(text('Ignored.', { maxLength: 16_384 })),
    network,
    venlyWalletData: T.Optional(VenlyCompositeSignature),
    state: T.Optional(text('The state of the response that requested a wallet, or of a link to connect one.')),
  },
);

export type VenlyWalletConnectionRequest = ValueOf<typeof VenlyWalletConnectionRequest>;

/** Every form of the request in one schema: the forms have no discriminator, only their fields. */
export const WalletConnectionRequest = record(
  'WalletConnectionRequest',
  'A wallet to connect, in any of the formats that chains and wallet providers use.',
  {
    ...common,
    network,
    chainId: T.Optional(
      T.Union([T.Number(), T.String({ maxLength: 64 })], { description: 'The chain, by number or by name.' }),
    ),
    signature: T.Optional(
      T.Union([T.String({ maxLength: 65_536 }), T.Array(FlowCompositeSignature, { maxItems: 20 })], {
        description:
          'The signature: a string, Flow’s list of composite signatures, or the wallet’s whole response or the signature bytes as JSON.',
      }),
    ),
    message: T.Optional(text('The exact message that was signed.', { maxLength: 16_384 })),
    publicKey: T.Optional(text('The public key: Tezos, XRPL, NEAR. `public_key` is read too.', { maxLength: 256 })),
    public_key: T.Optional(text('The public key: NEAR.', { maxLength: 256 })),
    didToken: T.Optional(text('The token of Magic, with the message attached.', { maxLength: 16_384 })),
    gnosisSignerAddress: T.Optional(text('The owner of the Safe who signs.', { maxLength: 128 })),
    proxyRegistry: T.Optional(text('The registry that lists the proxies.', { maxLength: 128 })),
    walletSubType: T.Optional(
      text('eip712 to sign typed data instead of a text; other values are ignored.', {
        maxLength: 64,
      }),
    ),
    selectedWallet: T.Optional(text('The address that was chosen at Venly.', { maxLength: 128 })),
    venlyWallets: T.Optional(text('Ignored.', { maxLength: 16_384 })),
    venlyWalletData: T.Optional(VenlyCompositeSignature),
    state,
    walletAddress: T.Optional(text('The address for the OpenSea sign-in.', { maxLength: 128 })),
    signInState: T.Optional(
      text('The state of the response that requested a signature: OpenSea, NEAR.', { maxLength: 64 }),
    ),
    walletSk: T.Optional(text('A wallet that is linked already: its sk, address or account id.', { maxLength: 256 })),
    communityId: T.Optional(text('The community to connect the wallet to.', { maxLength: 128 })),
    platform: T.Optional(text('The chat platform of the community.', { maxLength: 32 })),
  },
);

export type WalletConnectionRequest = ValueOf<typeof WalletConnectionRequest>;

const WalletProxyModel = record('WalletProxyModel', 'Contracts that a wallet controls.', {
  proxyAddresses: T.Optional(texts('Their addresses.', { maxLength: 128 })),
  proxyAccounts: T.Optional(texts('The same as account ids.', { maxLength: 200 })),
  proxyType: T.Optional(text('What kind they are.', { maxLength: 32 })),
});

const PlatformCommunityUser = record('PlatformCommunityUser', 'A user of a chat platform.', {
  platform: text('The chat platform.', { maxLength: 64 }),
  id: text('The user’s id there.', { maxLength: 128 }),
  userPk: T.Optional(text('The qualified id.')),
  name: T.Optional(text('The name of the user.')),
  communityId: T.Optional(text('The community the wallet is connected to.')),
  communityPk: T.Optional(text('The qualified id of that community.')),
  communityName: T.Optional(text('Not returned here.')),
  state: T.Optional(text('Not returned here.')),
  message: T.Optional(text('Not returned here.')),
});

const WalletConnectionInfo = record('WalletConnectionInfo', 'A wallet and its owner.', {
  user: T.Optional(PlatformCommunityUser),
  walletType: T.Optional(text('The kind of wallet.')),
  address: T.Optional(text('The address.')),
  accountId: T.Optional(text('The account in CAIP-10 form.')),
});

const answerFields = {
  success: T.Optional(T.Boolean({ description: 'Whether the proof is valid and, unless verifyOnly, stored.' })),
  address: T.Optional(text('The address.')),
  proxies: T.Optional(T.Array(WalletProxyModel, { description: 'Proxies to choose from.', maxItems: 100 })),
  state: T.Optional(text('Identifies this attempt in the next request.')),
  message: T.Optional(
    text('What to sign if the code is SIGNATURE_REQUIRED (typed data as JSON if requested), otherwise a sentence.', {
      maxLength: 16_384,
    }),
  ),
  code: T.Optional(choice('The result.', Object.keys(connectionCodes) as ConnectionCode[])),
  resetToken: T.Optional(
    text(`Moves the wallet from the account that has it; works once, for ${linkTtlSeconds / 60} minutes.`),
  ),
  connection: T.Optional(WalletConnectionInfo),
};

export const WalletConnectionResponse = record(
  'WalletConnectionResponse',
  'The result of an attempt to connect a wallet.',
  answerFields,
);

export type WalletConnectionResponse = ValueOf<typeof WalletConnectionResponse>;

/** A linked wallet if one was connected to a community, otherwise the result of the attempt. */
export const ConnectedWallet = record(
  'ConnectedWallet',
  'A WalletConnection if the request specified one, otherwise a WalletConnectionResponse.',
  { ...fieldsOf(WalletConnection), ...answerFields },
);

export type ConnectedWallet = WalletConnectionResponse | WalletConnection;

// A record is an object schema, but its TypeScript type hides the fields.
function fieldsOf(schema: object) {
  return (schema as { properties: Record<string, ReturnType<typeof T.Any>> }).properties;
}

/** A wallet as clients refer to it. */
interface NamedWallet {
  address: string;
  /** The one community that is meant; without it, the wallet itself. */
  communityId: string | undefined;
}

/**
 * Parses the sk of a connection (`WALLET#<community>#<address>`, or without a community), an account id or an address.
 */
export function readWalletSk(walletSk: string): NamedWallet {
  const local = walletSk.replace(/^WALLET#/, '');
  const end = local.lastIndexOf('#');
  const last = local.slice(end + 1);
  return {
    address: /^[-a-z0-9]{2,16}:[-_a-zA-Z0-9]{1,32}:(.+)$/.exec(last)?.[1] ?? last,
    communityId: end > 0 ? local.slice(0, end) : undefined,
  };
}

/**
 * Returns the context of the user that a request is for: the user of its AE token, otherwise the caller. Both may be
 * sent if they are the same.
 */
export async function requestUser(
  ctx: Context,
  token: string | undefined,
  scope: Scope = 'user:wallet:write',
): Promise<Context> {
  const actor = token === undefined || token === '' ? ctx.actor : await verifyAeToken(ctx, token);
  if (ctx.actor.kind === 'user' && principalId(ctx.actor) !== principalId(actor))
    throw new AppError('INVALID_CREDENTIAL', 'The tokens in the request and in the header belong to different users.');
  const refusal = refuse(user(scope), actor);
  if (refusal !== undefined) throw new AppError(refusal.code, refusal.message);
  return contextFor(ctx, actor);
}

/** Returns the user of a link to connect a wallet, which contains a token of the user. */
export async function userOfLink(ctx: Context, slug: string): Promise<Context | undefined> {
  const token = (await openState(ctx, slug))?.token;
  return typeof token === 'string' ? requestUser(ctx, token) : undefined;
}

/** Returns the user that a message was issued to, with just enough access to issue further messages. */
export async function userOfChallenge(ctx: Context, state: string): Promise<Context | undefined> {
  const challenge = await findLinkChallenge(ctx.db.system, hashSecret(state), ctx.clock());
  return challenge === undefined ? undefined : contextFor(ctx, actorOf(challenge.user_id));
}

// Only a message is stored for such an actor: storing a wallet requires a token.
function actorOf(userId: string): Actor {
  return { kind: 'user', userId, platform: 'unknown', scopes: [], credential: 'connect-link' };
}
