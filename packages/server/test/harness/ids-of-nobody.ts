const ofDesk = 'A number of the help desk, which shows nothing of it to the caller.';

/** Ids that requests can name and that are nobody’s in particular, with the reason. */
export const ownedByNobody: Readonly<Record<string, string>> = {
  'POST /communities/{communityId}/apps/{appId} appId': 'Every community may install every app that admits it.',
  'DELETE /communities/{communityId}/apps/{appId} appId': 'The same app may be installed in many communities.',
  'GET /access-control/{communityId}/{userId}/roles userId': 'Somebody in the community that admits the caller.',
  'GET /role-manager/roles userId': 'Somebody in a community that the caller manages, or the caller.',
  'POST /role-manager/roles userId': 'Somebody in a community that the caller manages, or the caller.',
  'POST /role-manager/check-community-roles userId': 'Somebody in the community that admits the caller.',
  'POST /role-manager/check-user-roles userId': 'Somebody in the community that admits the caller.',
  'POST /role-manager/schedule userId': 'Somebody in the community that admits the caller.',
  'GET /asset-list/{account} account': 'What an address holds is public on its chain.',
  'GET /asset-ownership/{account} account': 'What an address holds is public on its chain.',
  'GET /ethereum-nfts/{address}/attributes address': 'A contract, public on its chain.',
  'GET /communities/plans/{planId} planId': 'The plans are the same for everyone.',
  'POST /account/wallet-address chainId': 'A chain.',
  'POST /asset-verification userId': 'Not read: a claim is always the caller’s own.',
  'POST /asset-verification socialId': 'A name to show; it gives no rights.',
  ...ofCommunities('POST /communities'),
  'POST /communities pk': 'The platform is asked whether the caller administers it.',
  'POST /communities communityId': 'The platform is asked whether the caller administers it.',
  'POST /communities ownerId': 'Read from the operator only.',
  'POST /communities adminUserId': 'Not read.',
  ...ofCommunities('PUT /communities/{id}'),
  ...ofCommunities('PATCH /communities/{id}'),
  ...ofRules('POST /access-control/check-roles'),
  ...ofRules('POST /communities/{id}/tpcs'),
  ...ofRules('PUT /communities/{id}/tpcs/{tpcId}'),
  'POST /access-control/check-roles id': 'The caller’s own name for a rule.',
  'PUT /communities/{id}/tpcs/{tpcId} id': 'Not read: the path names the rule.',
  'PUT /communities/{id}/tpcs/{tpcId} sk': 'Not read: the path names the rule.',
  'POST /analytics/{communityId}/role-distribution id': 'A role, looked for in the community that admits the caller.',
  'POST /analytics/{communityId}/roles-added id': 'A role, looked for in the community that admits the caller.',
  'POST /discord/{guildId}/guest-passes id': 'Not read, and of roles: given in the community of the pass only.',
  'POST /discord/{guildId}/guest-passes pk': 'Not read: the path names the community.',
  'POST /discord/{guildId}/guest-passes sk': 'Not read.',
  'GET /totp/{requestId} requestId': 'The id is of the caller’s own choice, and counts for that caller only.',
  'GET /dev-orgs/plans/{planId} planId': 'The plans are the same for everyone.',
  'POST /webauthn/authentication/store id': 'Every passkey may answer that can: that is how its user becomes known.',
  'POST /webauthn/authentication/store rawId': 'The same as id.',
  'POST /webauthn/authentication/verify id': 'Every passkey may answer that can: that is how its user becomes known.',
  'POST /webauthn/authentication/verify rawId': 'The same as id.',
  'POST /webauthn/registration/verify id': 'Chosen by the authenticator; one that is taken is refused.',
  'POST /webauthn/registration/verify rawId': 'The same as id.',
  'GET /webauthn/authentication/options rpID': 'A web site.',
  'POST /webauthn/authentication/options rpID': 'A web site.',
  'GET /webauthn/registration/options rpID': 'A web site.',
  'POST /webauthn/registration/options rpID': 'A web site.',
  'GET /webauthn/credentials rpId': 'A web site.',
  ...ofWallets('POST /evm/venly/callback'),
  'DELETE /wallet-manager/wallet-connections/{walletSk} id': 'A token of the caller; one of somebody else is refused.',
  'POST /wallet-manager/marketplace-magic-codes id': 'A token of the caller; one of somebody else is refused.',
  'POST /wallet-manager/marketplace-wallet-connections id': 'A token of the caller; one of somebody else is refused.',
  'POST /wallet-manager/reset-wallets/{resetToken} resetToken':
    'Known to whoever has proven the wallet, for 15 minutes.',
  ...ofWallets('PUT /wallet-manager/wallet-connections'),
  'PUT /wallet-manager/wallet-connections chainId': 'A chain.',
  'PUT /wallet-manager/wallet-connections keyId': 'A key of an account, public on its chain.',
  'POST /dev-orgs pk': 'Not read: an organization always belongs to the caller.',
  'POST /user-authorizations/{slug} slug':
    'Known to the browser that an application has sent here; it decides for itself.',
  'GET /user-authorizations/{clientId} clientId': 'An application; only what the caller allowed it is looked for.',
  'DELETE /user-authorizations/{clientId} clientId': 'An application; only what the caller allowed it is taken back.',
  'DELETE /stripe/subscription/{planId}/subscriber/{subscriberId} planId': 'The plans are the same for everyone.',
  'POST /stripe/subscription/{planId} planId': 'The plans are the same for everyone.',
  'POST /unlock/subscription/{planId} planId': 'The plans are the same for everyone.',
  'GET /kudos/users/{userId}/{type} type': 'A kind of kudos.',
  'GET /kudos/users/{userId}/{type} userId': 'Only kudos are shown that the caller gave, got or looks after.',
  'POST /freshdesk/tickets parent_id': ofDesk,
  'POST /freshdesk/tickets requester_id': 'Read from the operator only.',
  'POST /freshdesk/tickets responder_id': ofDesk,
  'POST /freshdesk/tickets group_id': ofDesk,
  'POST /freshdesk/tickets product_id': ofDesk,
  'GET /freshdesk/tickets companyId': 'Narrows the tickets of the caller.',
  'GET /freshdesk/tickets requesterId': 'Narrows the tickets of the caller.',
  'POST /nft-contracts/{chainId}/{address} chainId': 'A chain.',
  'POST /nft-contracts/{chainId}/{address} address':
    'Whoever describes a contract first goes on to; to others it is taken.',
  'POST /nft-contracts/{chainId}/{address} pk': 'Not read: the path names the contract.',
  'POST /nft-contracts/{chainId}/{address} sk': 'Not read: the path names the contract.',
  'POST /nft-tokens/{chainId}/{address}/{id} chainId': 'A chain.',
  'POST /nft-tokens/{chainId}/{address}/{id} id': 'A token of the contract that admits the caller.',
  'POST /nft-tokens/{chainId}/{address}/{id} pk': 'Not read: the path names the token.',
  'POST /nft-tokens/{chainId}/{address}/{id} sk': 'Not read: the path names the token.',
  'POST /nft-tokens/{chainId}/{address}/{id} tokenId': 'Not read: the path names the token.',
  'POST /telefrens/waiting-list/quotes chainId': 'A chain.',
  ...ofNearIndex(),
  ...ofNearReads(),
  ...ofNearSignatures(),
  'POST /near-nft/market-contracts contractId': 'A new account below that of the server; one that is taken is refused.',
  'POST /near-nft/market-contracts chainId': 'A network.',
  'POST /near-nft/token-contracts contractId': 'A new account below that of the server; one that is taken is refused.',
  'POST /near-nft/token-contracts/{address} receiverId': 'Whoever is given the new token.',
  'POST /near-nft/token-contracts/{address} id': 'A new token of the contract that admits the caller.',
  'GET /near-nft/users/{userId}/token-contracts userId': 'Only contracts are shown that the caller made.',
  'POST /near-nft/users accountId': 'An account, which has to be new or to be proven.',
};

function ofRules(route: string): Record<string, string> {
  return {
    [`${route} chainId`]: 'A chain.',
    [`${route} tokenId`]: 'A token, public on its chain.',
    [`${route} eventId`]: 'An event, public with whoever holds it.',
    [`${route} roleId`]: 'A role, given in the community of the rule only.',
  };
}

function ofWallets(route: string): Record<string, string> {
  return {
    [`${route} id`]: 'A token of the caller; one of somebody else is refused.',
    [`${route} accountId`]: 'An account, which has to sign.',
    [`${route} userId`]: 'Not read.',
  };
}

function ofCommunities(route: string): Record<string, string> {
  const names = ['id', 'pk', 'sk', 'communityId', 'ownerId', 'createdById', 'chainId', 'tokenId', 'eventId', 'roleId'];
  return {
    ...Object.fromEntries(names.map((name) => [`${route} ${name}`, 'Not read: the path names the community.'])),
    [`${route} adminUserId`]: 'A name to show; it gives no rights.',
  };
}

function ofNearIndex(): Record<string, string> {
  const named = {
    'receipts/{receiptId}': ['receiptId'],
    'transactions/{txHash}': ['txHash'],
    '{parentAccount}/accounts': ['parentAccount'],
    '{accountId}/ft-contracts': ['accountId'],
    '{accountId}/nft-contracts': ['accountId'],
    '{contract}/function-calls': ['contract'],
    '{contract}/transactions/{tokenId}': ['contract', 'tokenId'],
    '{contract}/transactionsForAccount/{account}': ['contract', 'account'],
  };
  return onChain('GET /near-indexer', named);
}

function ofNearReads(): Record<string, string> {
  const sales = 'market-contracts/{marketContract}/sales';
  const named = {
    [`${sales}/contracts/{tokenContract}/{tokenId}`]: ['marketContract', 'tokenContract', 'tokenId'],
    [`${sales}/contracts/{tokenContract}`]: ['marketContract', 'tokenContract'],
    [`${sales}/indexes/{indexName}/{indexKey}`]: ['marketContract', 'indexName', 'indexKey'],
    [`${sales}/sellers/{seller}`]: ['marketContract', 'seller'],
    [`${sales}/token-types/{tokenType}`]: ['marketContract', 'tokenType'],
    'token-collections/{collectionId}': ['collectionId'],
    'token-contracts/{address}': ['address'],
    'tokens/{address}/{id}': ['address', 'id'],
    'tokens/{address}': ['address'],
    'users/{userId}/balance': ['userId'],
    'users/{userId}/owned-tokens/{address}': ['userId', 'address'],
    'users/{userId}/owned-tokens': ['userId'],
  };
  const reads = { 'market-contracts/get-sale': ['chainId', 'tokenId'] };
  return { ...onChain('GET /near-nft', named), ...onChain('POST /near-nft', reads) };
}

function onChain(base: string, named: Record<string, readonly string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(named).flatMap(([path, names]) =>
      names.map((name) => [`${base}/${path} ${name}`, 'Public on its chain.']),
    ),
  );
}

/** What is sold, bought and moved: the account that it is of has to sign. */
function ofNearSignatures(): Record<string, string> {
  const sales = ['accept', 'buy', 'sell', 'remove-sale', 'update-price'].map((verb) => `market-contracts/${verb}`);
  const owned = [...sales, 'tokens/transfer'].map((path) => [
    `POST /near-nft/${path} tokenId`,
    'A token; whose it is has to sign.',
  ]);
  const chains = [...sales, 'bridge-tokens/withdraw'].map((path) => [`POST /near-nft/${path} chainId`, 'A network.']);
  return Object.fromEntries([...owned, ...chains]);
}
