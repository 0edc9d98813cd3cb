import type { OperationFacts } from './index.ts';

export const linkingFacts: Readonly<Record<string, OperationFacts>> = {
  getChallenge: {
    needsNoKey: 'A challenge too many is forgotten after 15 minutes.',
    senderDecides: 'state uri domain accountId resources',
  },
  loginBySiwe: {
    needsNoKey: 'A challenge works once by itself.',
    senderDecides: 'requestId signature signatureType accountId scopes',
  },
  generateMagicCode: {
    needsNoKey: 'A code too many is forgotten after some minutes.',
    senderDecides: 'marketplace account id',
    idsOfNobody: { id: 'A token of the caller; one of another user is refused.' },
  },
  connectMarketplaceWallet: {
    needsNoKey: 'A code works once by itself.',
    senderDecides: 'marketplace account id magicCode proof',
    idsOfNobody: { id: 'A token of the caller; one of another user is refused.' },
  },
  resetWallets: {
    needsNoKey: 'A token works once by itself.',
    idsOfNobody: { resetToken: 'Known for 15 minutes to the person who proved the wallet.' },
  },
  resumeWalletConnection: { needsNoKey: 'A state works once by itself.', senderDecides: 'proxyAddress state address' },
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
    needsNoKey: 'The state works once by itself.',
    senderDecides:
      'id address accountId metadata verifyOnly proxyType walletType network selectedWallet venlyWallets venlyWalletData state',
    idsOfNobody: {
      id: 'A token of the caller; one of another user is refused.',
      accountId: 'An account, which has to sign.',
      userId: 'Not read.',
    },
  },
  beginXLink: { needsNoKey: 'Each attempt has a state of its own; unused ones expire.' },
  finishXLink: { needsNoKey: 'It asks X; its state and code work once.', senderDecides: 'state code' },
  beginHandoff: {
    needsNoKey: 'Each has a key of its own; unused ones expire.',
    senderDecides: 'purpose communityId',
    idsOfNobody: { communityId: 'One that the person is not in is left out, like one that is missing.' },
  },
  getHandoffState: { needsNoKey: 'It only reads.', senderDecides: 'key' },
  askInOtherBrowser: { needsNoKey: 'Only the newest message counts.', senderDecides: 'ticket accountId resources' },
  proveInOtherBrowser: {
    needsNoKey: 'A message works once by itself.',
    senderDecides: 'ticket accountId state signature publicKey',
  },
  acceptHandoff: { needsNoKey: 'It works once.', senderDecides: 'key code' },
};
