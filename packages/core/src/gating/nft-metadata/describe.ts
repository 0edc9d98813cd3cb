import { AppError, notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import {
  type ContractMetadata,
  type ContractMetadataCreate,
  readContractKey,
  readTokenId,
  type TokenMetadata,
  type TokenMetadataCreate,
  toContract,
  toToken,
} from './nft-metadata.ts';
import { putContract, putToken, selectContract } from './queries.ts';

type DescribeContext = Pick<Context, 'actor' | 'clock' | 'tx' | 'wallets'>;
type Named = { chainId: string; address: string };

const maxPropertiesBytes = 65_536;

/** Says what a contract is. Whoever says so first goes on to; saying it again replaces it. */
export async function createContractMetadata(
  ctx: DescribeContext,
  { body, ...named }: Named & { body: ContractMetadataCreate },
): Promise<ContractMetadata> {
  const { chainId, contract } = readContractKey(ctx, named);
  const { name, description, image, external_link, seller_fee_basis_points, fee_recipient } = body;
  const now = ctx.clock();
  const row = await ctx.tx((tx) =>
    putContract(tx, {
      chain_id: chainId,
      contract,
      created_by_id: principalId(ctx.actor),
      content: { name, description, image, external_link, seller_fee_basis_points, fee_recipient },
      created_at: now,
      updated_at: now,
    }),
  );
  if (row === undefined) throw new AppError('STATE_CONFLICT', 'Somebody else describes this contract.');
  return toContract(row);
}

/** Says what a token of a contract is; only whoever describes the contract can. */
export async function createTokenMetadata(
  ctx: DescribeContext,
  { body, id, ...named }: Named & { id: string; body: TokenMetadataCreate },
): Promise<TokenMetadata> {
  const key = readContractKey(ctx, named);
  const tokenId = readTokenId(id);
  const { name, description, image, transactionHash, decimals, properties } = body;
  if (JSON.stringify(properties ?? {}).length > maxPropertiesBytes)
    throw new AppError('VALIDATION_FAILED', `The properties may take ${maxPropertiesBytes / 1024} KiB.`);
  const now = ctx.clock();
  return ctx.tx(async (tx) => {
    const contract = await selectContract(tx, key);
    if (contract === undefined) throw notFound('NFT contract');
    const row = await putToken(tx, {
      chain_id: key.chainId,
      contract: key.contract,
      token_id: tokenId,
      created_by_id: contract.created_by_id,
      content: { name, description, image, transactionHash, decimals, properties },
      created_at: now,
      updated_at: now,
    });
    if (row === undefined) throw notFound('NFT contract');
    return toToken(row);
  });
}
