import {
  AppError,
  NoContent,
  op,
  type Page,
  pageOf,
  pageParams,
  platformNames,
  principalId,
  record,
  resource,
  T,
  text,
  texts,
  user,
  type ValueOf,
  wholePageParams,
} from '@latchkey/kernel';
import { reloadAdministered } from '../../communities/access/index.ts';
import { AdministeredCommunity, Community, pageOfAdmin, pageOfMember } from '../../communities/community/index.ts';
import { reconcileUser } from '../../gating/role-changes/index.ts';
import {
  createLinkChallenge,
  findFirstLink,
  linkTtlSeconds,
  listUsersSharingWallets,
  listWallets,
  WalletConnection,
} from '../../identity/wallets/index.ts';
import { linkWallet, unlinkAllWallets, unlinkWallet } from '../../linking/wallet-links/index.ts';
import type { Context } from '../../shared/context.ts';
import type { PageRequest } from '../../shared/paging.ts';

const User = record('User', 'An account.', {
  id: text('The id of the account, for example DIS#USER#100.'),
  createdTime: T.Optional(text('When the account first linked a wallet, in ISO 8601; absent before that.')),
  pk: text('The id of the account.'),
  sk: text('Always USER.'),
  classifier: text('Always USER.'),
  classifierGroup: text('Always USER.'),
  platform: text(`Where the account comes from: ${platformNames.join(', ')} or ethereum, for example.`),
  userName: T.Optional(text('What people call the account there.')),
});
type User = ValueOf<typeof User>;

const AccountAuthChallenge = record('AccountAuthChallenge', 'What to sign to link a wallet.', {
  message: text('The exact text to sign with personal_sign.', { maxLength: 4096 }),
});
type AccountAuthChallenge = ValueOf<typeof AccountAuthChallenge>;

const AccountAddressRequest = record('AccountAddressRequest', 'A wallet and the proof that it is yours.', {
  chainId: T.Optional(text('The chain, as a number or in CAIP-2 form. Defaults to Ethereum.', { maxLength: 64 })),
  address: text('The address of the wallet.', { minLength: 1, maxLength: 128 }),
  message: text('The exact message from GET /account/auth-message.', { minLength: 1, maxLength: 4096 }),
  signedMessage: text('The signature.', { minLength: 1, maxLength: 32_768 }),
});
type AccountAddressRequest = ValueOf<typeof AccountAddressRequest>;

const AccountBalance = record('AccountBalance', 'How much of a token an account holds.', {
  cashtag: T.Optional(text('The cashtag of the token, if a community gave it one.')),
  tokenAddress: T.Optional(text('The token contract; absent for the chain’s native currency.')),
  chainId: text('The chain, in CAIP-2 form.'),
  balance: text('The amount in whole tokens, exact.', { format: 'BigNumber' }),
});

const WalletBalance = record('WalletBalance', 'A wallet and what it is known to hold.', {
  address: text('The address, in its chain’s format.'),
  accounts: T.Array(AccountBalance, { description: 'The balances that could be read.', maxItems: 100 }),
});
type WalletBalance = ValueOf<typeof WalletBalance>;

const LinkedUsers = record('LinkedUsers', 'Accounts that share a wallet with the caller.', {
  items: texts('The ids of the accounts.', { maxLength: 128 }),
});

export const account = resource('account', 'The signed-in user’s wallets, communities and other accounts.', [
  op(
    'GET /account/administrated-communities',
    {
      id: 'getAdministratedCommunities',
      sdk: 'AccountController.getAdministratedCommunities',
      summary: 'List the communities you manage',
      description:
        'Returns the communities that the signed-in user owns or is an admin of, with their rules and with their roles on the platform. The page size defaults to 100; `limit` can lower it.',
      access: user('user:community:read'),
      params: {
        reload: T.Optional(
          T.Boolean({
            description:
              'If true, first asks the chat platform which of the user’s communities they manage, up to 20. Otherwise this is refreshed daily, on platform events and on each change.',
          }),
        ),
        ...wholePageParams,
      },
      returns: pageOf(AdministeredCommunity, 'AdministeredCommunityPage'),
      paginated: 'token',
    },
    getAdministratedCommunities,
  ),
  op(
    'GET /account/auth-message',
    {
      id: 'getAuthChallenge',
      sdk: 'AccountController.getAuthChallenge',
      summary: 'Get a message to link a wallet',
      description: `Returns the full message for the wallet to sign. It works once, for the signed-in user, and expires after ${linkTtlSeconds / 60} minutes.`,
      changes: true,
      access: user('user:wallet:write'),
      returns: AccountAuthChallenge,
    },
    getAuthChallenge,
  ),
  op(
    'GET /account/communities',
    {
      id: 'getUserCommunities',
      sdk: 'AccountController.getUserCommunities',
      summary: 'List the communities you belong to',
      description:
        'Returns the communities of this server that the signed-in user is known to be a member of. The page size defaults to 100; `limit` can lower it.',
      access: user('user:community:read'),
      params: wholePageParams,
      returns: pageOf(Community, 'CommunityPage'),
      paginated: 'token',
    },
    getUserCommunities,
  ),
  op(
    'GET /account/me',
    {
      id: 'getUserProfile',
      sdk: 'AccountController.getUserProfile',
      summary: 'Get your account',
      description: 'Returns the account that the credential belongs to.',
      access: user('user:read'),
      returns: User,
    },
    getUserProfile,
  ),
  op(
    'GET /account/linked-users',
    {
      id: 'findLinkedUsers',
      sdk: 'AccountController.findLinkedUsers',
      summary: 'List accounts that share your wallets',
      description:
        'Returns the ids of other accounts, on any platform, that proved to own one of your wallets. At most 1,000.',
      access: user('user:read'),
      returns: LinkedUsers,
    },
    findLinkedUsers,
  ),
  op(
    'POST /account/wallet-address',
    {
      id: 'addWalletAddress',
      sdk: 'AccountController.addWalletAddress',
      summary: 'Link a wallet',
      description:
        'Links the wallet that signed the message of GET /account/auth-message, and connects it everywhere. Roles that depend on it are updated automatically. A wallet linked to another account in one of your communities is rejected.',
      access: user('user:wallet:write'),
      body: AccountAddressRequest,
      returns: WalletBalance,
      errors: ['STATE_CONFLICT', 'INVALID_CREDENTIAL'],
    },
    addWalletAddress,
  ),
  op(
    'GET /account/wallets',
    {
      id: 'getWallets',
      sdk: 'AccountController.getWallets',
      summary: 'List your wallets',
      description:
        'Returns the wallets of the signed-in user, oldest first: one item for each community that a wallet is connected to, and one without a community for a wallet that is connected everywhere.',
      access: user('user:wallet:read'),
      paginated: 'token',
      params: pageParams,
      returns: pageOf(WalletConnection, 'WalletConnectionPage'),
    },
    listWallets,
  ),
  op(
    'DELETE /account/wallets/{address}',
    {
      id: 'deleteWallet',
      sdk: 'AccountController.deleteWallet',
      summary: 'Unlink a wallet',
      description:
        'Unlinks a wallet from the account and so from every community. Roles that depend on it alone are removed. To leave one community only, use DELETE /wallet-manager/wallet-connections/{walletSk} with the sk of that connection.',
      access: user('user:wallet:write'),
      params: { address: T.String({ description: 'The address, in any format.', minLength: 1, maxLength: 128 }) },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    (ctx: Context, { address }: { address: string }) => unlinkWallet(ctx, address, reconcileUser),
  ),
  op(
    'DELETE /account/wallets',
    {
      id: 'deleteWallets',
      sdk: 'AccountController.deleteWallets',
      summary: 'Unlink all wallets',
      description:
        'Unlinks every wallet from the account and so from every community. Roles that depend on them are removed.',
      access: user('user:wallet:write'),
      returns: NoContent,
    },
    (ctx: Context) => unlinkAllWallets(ctx, reconcileUser),
  ),
]);

/** Links a wallet to the caller's account, and returns its native balance, if that can be read. */
export async function addWalletAddress(
  ctx: Context,
  { body }: { body: AccountAddressRequest },
): Promise<WalletBalance> {
  const { namespace, chain } = readChain(body.chainId ?? 'evm:1');
  const address = await linkWallet(
    ctx,
    { namespace, chain, address: body.address, message: body.message, signature: body.signedMessage },
    reconcileUser,
  );
  const question = { chain: `${namespace}:${chain}`, standard: 'native', reference: 'currency', account: address };
  if (!ctx.holdings.reads(question)) return { address, accounts: [] };
  const [answer] = await ctx.holdings.read([{ ...question, needs: 'amount' }]);
  if (answer?.kind !== 'read') return { address, accounts: [] };
  return { address, accounts: [{ chainId: question.chain, balance: answer.amount }] };
}

function readChain(chainId: string): { namespace: string; chain: string } {
  const [, prefix = 'evm', chain] = /^(?:([-a-z0-9]{2,16}):)?([-a-zA-Z0-9]{1,32})$/.exec(chainId) ?? [];
  if (chain === undefined)
    throw new AppError('VALIDATION_FAILED', 'The body at /chainId must be a chain, for example 1 or evm:137.', {
      details: [{ path: '/chainId', code: 'chain', message: 'must be a chain id' }],
    });
  return { namespace: prefix === 'eip155' ? 'evm' : prefix, chain };
}

export async function getAuthChallenge(ctx: Context): Promise<AccountAuthChallenge> {
  return { message: await createLinkChallenge(ctx) };
}

export async function getUserProfile(ctx: Context): Promise<User> {
  const { actor } = ctx;
  const id = principalId(actor);
  const since = await ctx.tx((tx) => findFirstLink(tx, id));
  return {
    id,
    pk: id,
    sk: 'USER',
    classifier: 'USER',
    classifierGroup: 'USER',
    platform: actor.kind === 'user' ? actor.platform : 'collabland',
    ...(since !== undefined && { createdTime: since.toISOString() }),
    ...(actor.kind === 'user' && actor.name !== undefined && { userName: actor.name }),
  };
}

export async function findLinkedUsers(ctx: Context): Promise<{ items: string[] }> {
  return { items: await listUsersSharingWallets(ctx) };
}

export async function getAdministratedCommunities(
  ctx: Context,
  { reload = false, ...page }: { reload?: boolean | undefined } & PageRequest = {},
): Promise<Page<AdministeredCommunity>> {
  if (reload) await reloadAdministered(ctx);
  return pageOfAdmin(ctx, principalId(ctx.actor), page);
}

export function getUserCommunities(ctx: Context, page: PageRequest = {}): Promise<Page<Community>> {
  return pageOfMember(ctx, principalId(ctx.actor), page);
}
