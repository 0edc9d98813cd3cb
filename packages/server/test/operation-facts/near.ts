import type { OperationFacts } from './index.ts';

export const nearFacts: Readonly<Record<string, OperationFacts>> = {
  getReceipt: { idsOfNobody: { receiptId: 'Public on its chain.' } },
  getTransaction: { idsOfNobody: { txHash: 'Public on its chain.' } },
  getChildAccounts: { idsOfNobody: { parentAccount: 'Public on its chain.' } },
  findLikelyTokens: { idsOfNobody: { accountId: 'Public on its chain.' } },
  findLikelyNfts: { idsOfNobody: { accountId: 'Public on its chain.' } },
  getFunctionCalls: { idsOfNobody: { contract: 'Public on its chain.' } },
  getTransactionHistoryForToken: { idsOfNobody: { contract: 'Public on its chain.', tokenId: 'Public on its chain.' } },
  getTransactionHistoryForAccount: {
    idsOfNobody: { contract: 'Public on its chain.', account: 'Public on its chain.' },
  },
  nearToEth: {
    needsNoKey: 'Repeating the request does not repeat the transaction: the chain is queried before anything is sent.',
    senderDecides: 'chainId bridgeTokenContract sender recipient amount',
    idsOfNobody: { chainId: 'A network.' },
  },
  acceptOffer: {
    needsNoKey: 'Repeating the request does not repeat the transaction: the chain is queried before anything is sent.',
    senderDecides: 'chainId marketContract tokenContract tokenId buyer price seller',
    idsOfNobody: { tokenId: 'A token; its owner has to sign.', chainId: 'A network.' },
  },
  buyToken: {
    needsNoKey: 'Repeating the request does not repeat the transaction: the chain is queried before anything is sent.',
    senderDecides: 'chainId marketContract tokenContract tokenId buyer price',
    idsOfNobody: { tokenId: 'A token; its owner has to sign.', chainId: 'A network.' },
  },
  sellToken: {
    needsNoKey: 'Repeating the request does not repeat the transaction: the chain is queried before anything is sent.',
    senderDecides: 'chainId marketContract tokenContract tokenId seller isAuction prices',
    idsOfNobody: { tokenId: 'A token; its owner has to sign.', chainId: 'A network.' },
  },
  removeSale: {
    needsNoKey: 'Repeating the request does not repeat the transaction: the chain is queried before anything is sent.',
    senderDecides: 'chainId marketContract tokenContract tokenId seller isAuction prices',
    idsOfNobody: { tokenId: 'A token; its owner has to sign.', chainId: 'A network.' },
  },
  updatePrice: {
    needsNoKey: 'Repeating the request does not repeat the transaction: the chain is queried before anything is sent.',
    senderDecides: 'chainId marketContract tokenContract tokenId seller isAuction prices',
    idsOfNobody: { tokenId: 'A token; its owner has to sign.', chainId: 'A network.' },
  },
  getSale: {
    needsNoKey: 'Only reads.',
    senderDecides: 'chainId marketContract tokenContract tokenId',
    idsOfNobody: { chainId: 'Public on its chain.', tokenId: 'Public on its chain.' },
  },
  addFtTokenIds: {
    needsNoKey: 'Repeating the request does not repeat the transaction: the chain is queried before anything is sent.',
    freeBody: 'A list of accounts, and nothing else.',
  },
  getSaleByTokenId: {
    idsOfNobody: {
      marketContract: 'Public on its chain.',
      tokenContract: 'Public on its chain.',
      tokenId: 'Public on its chain.',
    },
  },
  getSalesByTokenContract: {
    idsOfNobody: { marketContract: 'Public on its chain.', tokenContract: 'Public on its chain.' },
  },
  getSales: {
    idsOfNobody: {
      marketContract: 'Public on its chain.',
      indexName: 'Public on its chain.',
      indexKey: 'Public on its chain.',
    },
  },
  getSalesBySeller: { idsOfNobody: { marketContract: 'Public on its chain.', seller: 'Public on its chain.' } },
  getSalesByTokenType: { idsOfNobody: { marketContract: 'Public on its chain.', tokenType: 'Public on its chain.' } },
  createMarketContract: {
    needsNoKey: 'Repeating the request does not repeat the transaction: the chain is queried before anything is sent.',
    senderDecides: 'contractId ftTokenIds ownerAccount chainId',
    idsOfNobody: {
      contractId: 'A new sub-account of the server’s account; one that is taken is refused.',
      chainId: 'A network.',
    },
  },
  getTokensByCollectionId: { idsOfNobody: { collectionId: 'Public on its chain.' } },
  unlockTokenTypes: {
    needsNoKey: 'Repeating the request does not repeat the transaction: the chain is queried before anything is sent.',
    freeBody: 'A list of types, and nothing else.',
  },
  addTokenTypes: {
    needsNoKey: 'Repeating the request does not repeat the transaction: the chain is queried before anything is sent.',
    senderDecides: 'types locked',
  },
  mintToken: {
    needsNoKey: 'Repeating the request does not repeat the transaction: the chain is queried before anything is sent.',
    senderDecides: 'id type name metadataUrl properties metadata contractVersion',
    idsOfNobody: {
      receiverId: 'The account that receives the new token.',
      id: 'A new token of the contract that admits the caller.',
    },
  },
  getTokenContract: { idsOfNobody: { address: 'Public on its chain.' } },
  createTokenContract: {
    needsNoKey: 'Repeating the request does not repeat the transaction: the chain is queried before anything is sent.',
    senderDecides: 'name metadataUrl tokenOptions properties metadata owner contractId',
    idsOfNobody: { contractId: 'A new sub-account of the server’s account; one that is taken is refused.' },
  },
  transferToken: {
    needsNoKey: 'Repeating the request does not repeat the transaction: the chain is queried before anything is sent.',
    senderDecides: 'tokenAddress tokenId sender receiver price',
    idsOfNobody: { tokenId: 'A token; its owner has to sign.' },
  },
  getTokenById: { idsOfNobody: { address: 'Public on its chain.', id: 'Public on its chain.' } },
  getTokens: { idsOfNobody: { address: 'Public on its chain.' } },
  getBalance: { idsOfNobody: { userId: 'Public on its chain.' } },
  getOwnedTokensByContract: { idsOfNobody: { userId: 'Public on its chain.', address: 'Public on its chain.' } },
  getOwnedTokens: { idsOfNobody: { userId: 'Public on its chain.' } },
  getCreatedTokenContracts: { idsOfNobody: { userId: 'Shows only contracts that the caller created.' } },
  registerUser: {
    needsNoKey: 'Repeating the request does not repeat the transaction: the chain is queried before anything is sent.',
    senderDecides: 'accountId publicKey extraPublicKeys signature',
    idsOfNobody: { accountId: 'An account, which has to be new or to be proven.' },
  },
};
