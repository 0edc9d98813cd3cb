import type { OperationFacts } from './index.ts';

export const linkingFacts: Readonly<Record<string, OperationFacts>> = {
  getChallenge: {
    needsNoKey: 'An unused challenge expires after 15 minutes.',
    senderDecides: 'state uri domain accountId resources',
  },
  loginBySiwe: {
    needsNoKey: 'A challenge works only once.',
    senderDecides: 'requestId signature signatureType accountId scopes',
  },
  generateMagicCode: {
    needsNoKey: 'An unused code expires after some minutes.',
    senderDecides: 'marketplace account id',
    idsOfNobody: { id: 'A token of the caller; one of another user is refused.' },
  },
  connectMarketplaceWallet: {
    needsNoKey: 'A code works only once.',
    senderDecides: 'marketplace account id magicCode proof',
    idsOfNobody: { id: 'A token of the caller; one of another user is refused.' },
  },
  resetWallets: {
    needsNoKey: 'A token works only once.',
    idsOfNobody: { resetToken: 'Known for 15 minutes to the user who proved the wallet.' },
  },
  resumeWalletConnection: { needsNoKey: 'A state works only once.', senderDecides: 'proxyAddress state address' },
  disconnectWallet: { idsOfNobody: { id: 'A token of the caller; one of another user is refused.' } },
  connectWallet: {
    senderDecides:
      'id address accountId metadata verifyOnly proxyType walletType network selectedWallet venlyWallets venlyWalletData state chainId signature message publicKey public_key didToken gnosisSignerAddress proxyRegistry walletSubType walletAddress signInState walletSk communityId platform',
    idsOfNobody: {
      id: 'A token of the caller; one of another user is refused.',
      accountId: 'An account, which has to sign.',
      userId: 'Not read.',
      chainId: 'A chain.',
      keyId: 'A key of an account, public on its chain.',
    },
  },
  venlyCallback: {
    needsNoKey: 'The state works only once.',
    senderDecides:
      'id address accountId metadata verifyOnly proxyType walletType network selectedWallet venlyWallets venlyWalletData state',
    idsOfNobody: {
      id: 'A token of the caller; one of another user is refused.',
      accountId: 'An account, which has to sign.',
      userId: 'Not read.',
    },
  },
  beginXLink: { needsNoKey: 'Each attempt has its own state; unused ones expire.' },
  finishXLink: { needsNoKey: 'It calls X; its state and code work once.', senderDecides: 'state code' },
  beginHandoff: {
    needsNoKey: 'Each has its own key; unused ones expire.',
    senderDecides: 'purpose communityId',
    idsOfNobody: { communityId: 'One that the user is not in is left out, like a missing one.' },
  },
  getHandoffState: { needsNoKey: 'It only reads.', senderDecides: 'key' },
  askInOtherBrowser: { needsNoKey: 'Only the newest message is valid.', senderDecides: 'ticket accountId resources' },
  proveInOtherBrowser: {
    needsNoKey: 'A message works only once.',
    senderDecides: 'ticket accountId state signature publicKey',
  },
  acceptHandoff: { needsNoKey: 'It works once.', senderDecides: 'key code' },
};
