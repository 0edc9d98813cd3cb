import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import {
  type ContractMetadata,
  readContractKey,
  readTokenId,
  type TokenMetadata,
  toContract,
  toToken,
} from './nft-metadata.ts';
import { selectContract, selectToken } from './queries.ts';

type ReadContext = Pick<Context, 'db' | 'wallets'>;
type Named = { chainId: string; address: string };

export async function getContractMetadata(ctx: ReadContext, named: Named): Promise<ContractMetadata> {
  const row = await selectContract(ctx.db.system, readContractKey(ctx, named));
  if (row === undefined) throw notFound('NFT contract');
  return toContract(row);
}

export async function getTokenMetadata(
  ctx: ReadContext,
  { id, ...named }: Named & { id: string },
): Promise<TokenMetadata> {
  const row = await selectToken(ctx.db.system, readContractKey(ctx, named), readTokenId(id));
  if (row === undefined) throw notFound('NFT token');
  return toToken(row);
}
