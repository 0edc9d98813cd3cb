import {
  type Access,
  alsoLimited,
  NoContent,
  OpenObject,
  op,
  pageOf,
  pageParams,
  record,
  resource,
  T,
  text,
  user,
} from '@latchkey/kernel';
import { WalletConnection } from '../wallets/index.ts';
import { connectMarketplaceWallet } from './connect-marketplace-wallet.ts';
import { connectWallet } from './connect-wallet.ts';
import {
  ConnectedWallet,
  connectionCodes,
  VenlyWalletConnectionRequest,
  WalletConnectionRequest,
  WalletConnectionResponse,
} from './connection.ts';
import { disconnectWallet } from './disconnect.ts';
import { generateMagicCode } from './generate-magic-code.ts';
import { getWalletConnections } from './list.ts';
import { MarketplaceMagicCodeRequest, MarketplaceMagicCodeResponse, MarketplaceWalletRequest } from './marketplace.ts';
import { pendingTtlSeconds } from './pending.ts';
import { resetWallets } from './reset-wallets.ts';
import { resumeWalletConnection } from './resume.ts';
import { venlyCallback } from './venly-callback.ts';

const minutes = pendingTtlSeconds / 60;

/** Everyone may call, but without a token or key of a user it comes to nothing. */
const withToken: Access = { roles: ['$anonymous', '$authenticated'], scopes: [] };

const ResumeWalletConnectionRequest = record('ResumeWalletConnectionRequest', 'Where to go on.', {
  proxyAddress: T.Optional(text('The proxy that was chosen.', { maxLength: 128 })),
  state: T.Optional(text('The state of the earlier answer.', { maxLength: 64 })),
  address: T.Optional(text('The wallet that will sign, if it was not known before.', { maxLength: 128 })),
});

const codes = Object.entries(connectionCodes)
  .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
  .join(' ');

export const walletManager = resource('wallet-manager', 'Connecting wallets of every chain to accounts.', [
  op(
    'POST /wallet-manager/marketplace-magic-codes',
    {
      id: 'generateMagicCode',
      sdk: 'WalletManagerController.generateMagicCode',
      summary: 'Get a code for a marketplace profile',
      description: `Creates a code that proves an account on a marketplace once its public profile shows it. It works once, for ${minutes} minutes, for that account and the user of the token.`,
      facts: {
        needsNoKey: 'A code too many is forgotten after some minutes.',
        senderDecides: 'marketplace account id',
        idsOfNobody: { id: 'A token of the caller; one of somebody else is refused.' },
      },
      access: withToken,
      body: MarketplaceMagicCodeRequest,
      returns: MarketplaceMagicCodeResponse,
    },
    generateMagicCode,
  ),
  op(
    'POST /wallet-manager/marketplace-wallet-connections',
    {
      id: 'connectMarketplaceWallet',
      sdk: 'WalletManagerController.connectMarketplaceWallet',
      summary: 'Connect the wallet of a marketplace profile',
      description:
        'Reads the public profile of the account and connects it if the profile shows the code. With `proof` instead of a code, the account signs a message of PUT /wallet-manager/wallet-connections.',
      facts: {
        needsNoKey: 'A code works once by itself.',
        senderDecides: 'marketplace account id magicCode proof',
        idsOfNobody: { id: 'A token of the caller; one of somebody else is refused.' },
      },
      access: withToken,
      body: MarketplaceWalletRequest,
      returns: WalletConnectionResponse,
    },
    connectMarketplaceWallet,
  ),
  op(
    'POST /wallet-manager/reset-wallets/{resetToken}',
    {
      id: 'resetWallets',
      sdk: 'WalletManagerController.resetWallets',
      summary: 'Move a wallet to this account',
      description: `Takes a wallet from the other accounts that stood in its way and connects it to the account that has just proven it: in the one community that the wallet is for, or altogether if it is for all of them. The token of a WALLET_TAKEN answer works once, for ${minutes} minutes. Roles of both accounts follow.`,
      facts: {
        needsNoKey: 'A token works once by itself.',
        idsOfNobody: { resetToken: 'Known for 15 minutes to the person who proved the wallet.' },
      },
      access: withToken,
      params: { resetToken: T.String({ description: 'The resetToken of the answer.', minLength: 1, maxLength: 64 }) },
      returns: OpenObject,
      errors: ['ENTITY_NOT_FOUND'],
    },
    resetWallets,
  ),
  op(
    'POST /wallet-manager/wallet-connections/resume',
    {
      id: 'resumeWalletConnection',
      sdk: 'WalletManagerController.resumeWalletConnection',
      summary: 'Continue connecting a wallet',
      description:
        'Goes on where an answer with a state stopped, also after a restart of the server: shows the message to sign again, writes one for the wallet that was chosen, or connects the proxy that was chosen.',
      facts: { needsNoKey: 'A state works once by itself.', senderDecides: 'proxyAddress state address' },
      access: withToken,
      body: ResumeWalletConnectionRequest,
      returns: WalletConnectionResponse,
      errors: ['ENTITY_NOT_FOUND'],
    },
    resumeWalletConnection,
  ),
  op(
    'DELETE /wallet-manager/wallet-connections/{walletSk}',
    {
      id: 'disconnectWallet',
      sdk: 'WalletManagerController.disconnectWallet',
      summary: 'Disconnect a wallet',
      description:
        'Disconnects a wallet of the user of the token, or of the Authorization header. With the sk of a connection to a community (`WALLET#<community>#<address>`) it leaves that community only, and only the roles there are re-checked. Named without a community, the wallet is unlinked from the account and so from every community, like with DELETE /account/wallets/{address}. Roles that depend on it alone are removed.',
      facts: { idsOfNobody: { id: 'A token of the caller; one of somebody else is refused.' } },
      access: withToken,
      params: {
        walletSk: T.String({
          description: 'The sk, address or account id of the wallet.',
          minLength: 1,
          maxLength: 256,
        }),
        id: T.Optional(T.String({ description: 'An AE token of the user.', minLength: 1, maxLength: 8192 })),
      },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    disconnectWallet,
  ),
  op(
    'PUT /wallet-manager/wallet-connections',
    {
      id: 'connectWallet',
      sdk: 'WalletManagerController.connectWallet',
      summary: 'Connect a wallet',
      description: `Connects a wallet to the user of the token in \`id\`. Send it without a signature first: the answer has the whole message to sign (CAIP-122; EIP-4361 on EVM chains), which names the site, the account, the chain and the user, and a state. Then send the signature. The message of GET /account/auth-message serves too, for wallets with a key. Every message works once, for ${minutes} minutes; without \`message\` and state the newest that fits is meant. Contract wallets (ERC-1271, ERC-6492, Safe) are known by their chain, and only by a message that names them; with \`gnosisSignerAddress\` an owner signs for a Safe. With \`walletSubType\` eip712 the message is typed data (EIP-712), as the JSON that eth_signTypedData_v4 takes. With \`proxyType\` dsproxy or epsproxy the signer speaks for what the registry of MakerDAO or EPS says, and chooses it with the resume operation. NEAR signs by NEP-413 with the SHA-256 of the message as nonce unless its answer names another, for the host of this server as recipient. With \`communityId\` the wallet is connected to that community only; without it, to every community of the user. With \`walletSk\` and \`communityId\` a wallet that is linked already is connected to one more community, without a signature. The codes: ${codes}`,
      facts: {
        senderDecides:
          'id address accountId metadata verifyOnly proxyType walletType network selectedWallet venlyWallets venlyWalletData state chainId signature message publicKey public_key didToken gnosisSignerAddress proxyRegistry walletSubType walletAddress signInState walletSk communityId platform',
        idsOfNobody: {
          id: 'A token of the caller; one of somebody else is refused.',
          accountId: 'An account, which has to sign.',
          userId: 'Not read.',
          chainId: 'A chain.',
          keyId: 'A key of an account, public on its chain.',
        },
      },
      access: withToken,
      body: WalletConnectionRequest,
      returns: ConnectedWallet,
      errors: ['ENTITY_NOT_FOUND'],
    },
    connectWallet,
  ),
  op(
    'GET /wallet-manager/wallet-connections',
    {
      id: 'getWalletConnections',
      sdk: 'WalletManagerController.getWallets',
      summary: 'List connected wallets',
      description:
        'Returns the wallets of the signed-in user, oldest first: one item for each community that a wallet is connected to, and one without a community for a wallet that is connected everywhere.',
      access: alsoLimited(user(), { scopes: ['user:wallet:read'] }),
      paginated: 'token',
      params: pageParams,
      returns: pageOf(WalletConnection, 'WalletConnectionPage'),
    },
    getWalletConnections,
  ),
]);

/** Belongs to the resource of EVM chains, where clients look for it. */
export const venlyOperation = op(
  'POST /evm/venly/callback',
  {
    id: 'venlyCallback',
    sdk: 'EthereumWalletConnectionVenlyController.callback',
    summary: 'Get the message for a Venly wallet',
    description:
      'Takes the wallet that somebody chose at Venly and returns the message that wallet is to sign. It connects nothing: the body carries no signature, so it proves nothing. Send what Venly answers to the signing of the message, {type: HEX_SIGNATURE, signature}, as JSON in `signature` of PUT /wallet-manager/wallet-connections.',
    facts: {
      needsNoKey: 'The state works once by itself.',
      senderDecides:
        'id address accountId metadata verifyOnly proxyType walletType network selectedWallet venlyWallets venlyWalletData state',
      idsOfNobody: {
        id: 'A token of the caller; one of somebody else is refused.',
        accountId: 'An account, which has to sign.',
        userId: 'Not read.',
      },
    },
    access: withToken,
    body: VenlyWalletConnectionRequest,
    returns: WalletConnectionResponse,
    errors: ['ENTITY_NOT_FOUND'],
  },
  venlyCallback,
);
