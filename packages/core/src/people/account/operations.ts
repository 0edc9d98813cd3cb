import { NoContent, op, pageOf, pageParams, record, resource, T, texts, user, wholePageParams } from '@latchkey/kernel';
import { AdministeredCommunity, Community } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { lookAtRoles } from '../../gating/role-plans/index.ts';
import { linkTtlSeconds, listWallets, unlinkAllWallets, unlinkWallet, WalletConnection } from '../wallets/index.ts';
import { AccountAddressRequest, AccountAuthChallenge, User, WalletBalance } from './account.ts';
import { addWalletAddress } from './add-wallet-address.ts';
import {
  findLinkedUsers,
  getAdministratedCommunities,
  getAuthChallenge,
  getUserCommunities,
  getUserProfile,
} from './reads.ts';

const LinkedUsers = record('LinkedUsers', 'Accounts that share a wallet with the caller.', {
  items: T.Optional(texts('The ids of the accounts.', { maxLength: 128 })),
});

export const account = resource('account', 'What the signed-in user has: wallets, communities, other accounts.', [
  op(
    'GET /account/administrated-communities',
    {
      id: 'getAdministratedCommunities',
      sdk: 'AccountController.getAdministratedCommunities',
      summary: 'List the communities you manage',
      description:
        'Returns the communities that the signed-in user owns or is an admin of, with their rules and with their roles on the platform. A page holds 100 unless `limit` says less.',
      access: user('user:community:read'),
      params: {
        reload: T.Optional(
          T.Boolean({
            description:
              'True asks the chat platform first which of the user’s communities the user manages there, at most 20 of them. Otherwise the platform is asked once a day, on its events and on each change.',
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
      description: `Writes the whole message the wallet is to sign. It works once, for ${linkTtlSeconds / 60} minutes, for the signed-in user.`,
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
        'Returns the communities of this server that the signed-in user is known to be a member of. A page holds 100 unless `limit` says less.',
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
      summary: 'Read your account',
      description: 'Returns the account the credential stands for.',
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
        'Links the wallet that signed the message of GET /account/auth-message, and connects it everywhere. Roles that depend on it follow by themselves. A wallet that another account of one of your communities holds is refused.',
      facts: {
        needsNoKey: 'A signed message works once by itself.',
        senderDecides: 'chainId address message signedMessage',
        idsOfNobody: { chainId: 'A chain.' },
      },
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
      params: { address: T.String({ description: 'The address, in any spelling.', minLength: 1, maxLength: 128 }) },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    (ctx: Context, { address }: { address: string }) => unlinkWallet(ctx, address, lookAtRoles),
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
    (ctx: Context) => unlinkAllWallets(ctx, lookAtRoles),
  ),
]);
