import type { Sample, Samples } from './sample-request.ts';
import { mintBody, type NearFixture, nearTokens, tokenContractBody } from './set-up-near.ts';

/** Samples for requests about NEAR. */
export function sampleNear(near: NearFixture): Samples {
  return { ...sampleIndex(near), ...sampleTokens(near), ...sampleUsers(near), ...sampleMarket(near) };
}

function sampleIndex({ account, art, buyer, seller, receiptId, txHash }: NearFixture): Samples {
  const base = 'GET /near-indexer';
  return {
    [`${base}/receipts/{receiptId} receiptId`]: receiptId,
    [`${base}/transactions/{txHash} txHash`]: txHash,
    [`${base}/{parentAccount}/accounts parentAccount`]: account,
    [`${base}/{parentAccount}/accounts type`]: 'nft',
    [`${base}/{accountId}/ft-contracts accountId`]: buyer,
    [`${base}/{accountId}/nft-contracts accountId`]: seller,
    [`${base}/{contract}/transactions/{tokenId} tokenId`]: nearTokens.sold,
    [`${base}/{contract}/transactionsForAccount/{account} account`]: seller,
    contract: art,
    caller: account,
  };
}

const mintRoute = 'POST /near-nft/token-contracts/{address}';

function sampleTokens({ art, seller, buyer, bridged }: NearFixture): Samples {
  const byAddress = [
    'GET /near-nft/tokens/{address}/{id}',
    'GET /near-nft/tokens/{address}',
    'GET /near-nft/token-contracts/{address}',
    'GET /near-nft/users/{userId}/owned-tokens/{address}',
    mintRoute,
    `${mintRoute}/token-types`,
    `${mintRoute}/token-types/unlock`,
  ];
  return {
    ...Object.fromEntries(byAddress.map((route) => [`${route} address`, art])),
    'GET /near-nft/tokens/{address}/{id} id': nearTokens.sold,
    'GET /near-nft/token-collections/{collectionId} collectionId': art,
    [`${mintRoute} receiverId`]: seller,
    [`${mintRoute} body`]: () => mintBody(nearTokens.sold),
    [`${mintRoute}/token-types body`]: () => ({ types: [{ type: 'gold', cap: '5' }] }),
    [`${mintRoute}/token-types/unlock body`]: () => ['print'],
    'POST /near-nft/token-contracts body': () => ({ ...tokenContractBody }),
    'POST /near-nft/tokens/transfer body': () => ({
      tokenAddress: art,
      tokenId: nearTokens.kept,
      sender: seller,
      receiver: buyer,
    }),
    'POST /near-nft/bridge-tokens/withdraw body': () => ({
      bridgeTokenContract: bridged,
      sender: buyer,
      recipient: `0x${'ab'.repeat(20)}`,
      amount: '300',
    }),
  };
}

function sampleUsers({ seller, publicKey }: NearFixture): Samples {
  const routes = ['balance', 'owned-tokens/{address}', 'owned-tokens'];
  return {
    ...Object.fromEntries(routes.map((rest) => [`GET /near-nft/users/{userId}/${rest} userId`, seller])),
    'GET /near-nft/users/{userId}/balance erc20': 'near',
    'POST /near-nft/users body': () => ({ publicKey }),
  };
}

function sampleMarket({ art, market, coin, seller, buyer, price }: NearFixture): Samples {
  const base = 'POST /near-nft/market-contracts';
  const item = (tokenId: string) => ({ marketContract: market, tokenContract: art, tokenId });
  const body =
    (value: object): Sample =>
    () =>
      structuredClone(value);
  const sale = { ...item(nearTokens.sold), seller, prices: [price] };
  return {
    marketContract: market,
    tokenContract: art,
    seller,
    tokenType: 'print',
    indexName: 'owner_id',
    indexKey: seller,
    'GET /near-nft/market-contracts/{marketContract}/sales/contracts/{tokenContract}/{tokenId} tokenId':
      nearTokens.sold,
    [`${base} body`]: body({ contractId: 'market' }),
    [`${base}/{address}/ft-token-ids address`]: market,
    [`${base}/{address}/ft-token-ids body`]: () => [coin],
    [`${base}/get-sale body`]: body(item(nearTokens.sold)),
    [`${base}/buy body`]: body({ ...item(nearTokens.sold), buyer, price }),
    [`${base}/sell body`]: body({ ...sale, tokenId: nearTokens.kept }),
    [`${base}/remove-sale body`]: body(sale),
    [`${base}/update-price body`]: body({ ...sale, prices: [{ ...price, price: '5' }] }),
    [`${base}/accept body`]: body({ ...item(nearTokens.auctioned), seller, buyer, price }),
  };
}
