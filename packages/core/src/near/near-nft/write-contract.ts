import { owns } from '@latchkey/kernel';
import type { Near } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import type { NearContractRow } from './queries.ts';
import type { TokenContract } from './token-records.ts';

/** Converts a contract to the API's record. Its creator is shown only to themselves. */
export function writeContract(ctx: Pick<Context, 'actor'>, row: NearContractRow): TokenContract {
  const classifier = row.kind === 'market' ? 'MARKET_CONTRACT' : 'TOKEN_CONTRACT';
  return {
    id: row.address,
    createdTime: row.created_at.toISOString(),
    ...(owns(ctx.actor, row.created_by_id) && { pk: row.created_by_id, tenant: row.created_by_id }),
    sk: `${classifier}#${row.address}`,
    classifier,
    classifierGroup: classifier,
    type: row.kind === 'market' ? 'MARKET' : 'NEP171',
    chainId: row.network,
    ...(row.name !== null && { name: row.name }),
    ...(row.symbol !== null && { symbol: row.symbol }),
    ...(row.metadata_url !== null && { metadataUrl: row.metadata_url }),
    ...(row.owner !== null && { owner: row.owner }),
    ...(row.transaction_hash !== null && { transactionHash: row.transaction_hash }),
    tokenAddress: row.address,
  };
}

/** The chain's data about a token contract takes precedence over what was stored when it was created. */
export function withChainMetadata(contract: TokenContract, metadata: unknown): TokenContract {
  const { name, symbol, reference } = Object(metadata);
  return {
    ...contract,
    ...(typeof name === 'string' && { name: name.slice(0, 1024) }),
    ...(typeof symbol === 'string' && { symbol: symbol.slice(0, 64) }),
    ...(typeof reference === 'string' && { metadataUrl: reference.slice(0, 2048) }),
  };
}

/** Converts a token contract that was not created here: everything known about it is on the chain. */
export function writeForeignContract({ network }: Near, address: string, metadata: unknown): TokenContract {
  const contract = {
    id: address,
    type: 'NEP171',
    chainId: network,
    tokenAddress: address,
    classifier: 'TOKEN_CONTRACT',
  };
  return withChainMetadata(contract, metadata);
}
