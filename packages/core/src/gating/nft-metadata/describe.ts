import { AppError, notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import {
  type ContractMetadata,
  type ContractMetadataCreate,
  contractFieldNames,
  readContractKey,
  readTokenId,
  type TokenMetadata,
  type TokenMetadataCreate,
  toContract,
  tokenFieldNames,
  toToken,
} from './nft-metadata.ts';
import { putContract, putToken, selectContract } from './queries.ts';

type DescribeContext = Pick<Context, 'actor' | 'clock' | 'db' | 'tokenMetadata' | 'tx' | 'wallets'>;
type Named = { chainId: string; address: string };

const maxOpenBytes = 65_536;

/** Stores the description of a contract, replacing an earlier one. */
export async function createContractMetadata(
  ctx: DescribeContext,
  { body, ...named }: Named & { body: ContractMetadataCreate },
): Promise<ContractMetadata> {
  const { chainId, contract } = readContractKey(ctx, named);
  const content = pick(body, contractFieldNames);
  const now = ctx.clock();
  const row = await ctx.tx((tx) =>
    putContract(tx, {
      chain_id: chainId,
      contract,
      created_by_id: principalId(ctx.actor),
      content,
      created_at: now,
      updated_at: now,
    }),
  );
  if (row === undefined) throw new AppError('STATE_CONFLICT', 'Someone else just described this contract. Try again.');
  return toContract(row);
}

/** Stores the description of a token of a contract. */
export async function createTokenMetadata(
  ctx: DescribeContext,
  { body, id, ...named }: Named & { id: string; body: TokenMetadataCreate },
): Promise<TokenMetadata> {
  const key = readContractKey(ctx, named);
  const tokenId = readTokenId(id);
  const content = pick(body, tokenFieldNames);
  requireSize(content);
  const now = ctx.clock();
  return ctx.tx(async (tx) => {
    const contract = await selectContract(tx, key);
    if (contract === undefined) throw notFound('NFT contract');
    const row = await putToken(tx, {
      chain_id: key.chainId,
      contract: key.contract,
      token_id: tokenId,
      created_by_id: contract.created_by_id,
      content,
      created_at: now,
      updated_at: now,
    });
    if (row === undefined) throw notFound('NFT contract');
    return toToken(row);
  });
}

function pick<Content extends object, Name extends keyof Content>(
  content: Content,
  names: readonly Name[],
): Pick<Content, Name> {
  return Object.fromEntries(names.flatMap((name) => (name in content ? [[name, content[name]]] : []))) as Pick<
    Content,
    Name
  >;
}

/** Limits the size of free-form fields, which the schema does not limit. */
function requireSize({ properties, attributes, localization }: TokenMetadataCreate): void {
  for (const [name, value] of Object.entries({ properties, attributes, localization }))
    if (JSON.stringify(value ?? {}).length > maxOpenBytes)
      throw new AppError('VALIDATION_FAILED', `The field ${name} can be at most ${maxOpenBytes / 1024} KiB.`);
}
