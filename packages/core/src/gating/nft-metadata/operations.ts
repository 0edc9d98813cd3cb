import { type Actor, AppError, anyone, app, notFound, op, principalId, resource, T } from '@latchkey/kernel';
import { ownerOfClientApp } from '../../identity/client-apps/index.ts';
import { selectWallets } from '../../identity/wallets/index.ts';
import type { ControlAnswer } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { createContractMetadata, createTokenMetadata } from './describe.ts';
import {
  type ContractKey,
  ContractMetadata,
  ContractMetadataCreate,
  readContractKey,
  readTokenId,
  TokenMetadata,
  TokenMetadataCreate,
  toContract,
  toToken,
} from './nft-metadata.ts';
import { address, chainId } from './params.ts';
import { handoff, isDescriber, selectContract, selectToken } from './queries.ts';

type ControlContext = Pick<Context, 'actor' | 'db' | 'tokenMetadata' | 'wallets'>;

const mostWallets = 1_000;
const retryAfterSeconds = 30;

/**
 * Throws unless the caller may describe a contract: the operator named them, or one of their linked wallets controls the
 * contract according to its chain. A permitted caller takes over earlier descriptions by others.
 */
export async function requireController(
  ctx: ControlContext,
  named: { chainId: string; address: string },
): Promise<void> {
  const { actor } = ctx;
  if (actor.kind === 'admin' || actor.kind === 'system') return;
  const key = readContractKey(ctx, named);
  if (!(await isDescriber(ctx.db.system, key, describerIdOf(actor)))) await requireControl(ctx, key);
  await handoff(ctx.db, key, principalId(actor));
}

function describerIdOf(actor: Actor): string {
  return actor.kind === 'client' ? actor.client.id : principalId(actor);
}

async function requireControl(ctx: ControlContext, { chainId, contract }: ContractKey): Promise<void> {
  const chain = `evm:${chainId}`;
  if (!ctx.tokenMetadata.reads(chain))
    throw refusal(`This server cannot read chain ${chainId}, so it cannot see who owns this contract.`);
  const accounts = await provenAccounts(ctx, String(chainId));
  const answer = await ctx.tokenMetadata.readControl(chain, contract, accounts);
  if (answer.kind === 'unknown')
    throw new AppError('UNAVAILABLE', `The owner of this contract could not be read. ${answer.reason}`, {
      retryAfterSeconds,
    });
  if (answer.kind === 'not-controlled') throw refusal(reasonOf(answer, accounts.length));
}

/** The caller's wallets, or those of the application's owner. Wallets that merely delegate to them do not count. */
async function provenAccounts({ actor, db }: ControlContext, chainId: string): Promise<string[]> {
  const userId = actor.kind === 'client' ? await ownerOfClientApp({ db }, actor.client.id) : principalId(actor);
  if (userId === undefined) return [];
  const wallets = await selectWallets(db.system, userId, undefined, mostWallets);
  return wallets
    .filter(({ namespace, signer_address }) => namespace === 'evm' && signer_address === null)
    .filter(({ contract_chain }) => contract_chain === null || contract_chain === chainId)
    .map(({ address }) => address);
}

function reasonOf(answer: ControlAnswer & { kind: 'not-controlled' }, wallets: number): string {
  if (answer.owner !== undefined)
    return `This contract belongs to ${answer.owner}. Link that wallet to your account to describe the contract.`;
  return wallets === 0
    ? 'Only the owner or deployer of a contract can describe it. Link their wallet to your account first.'
    : 'This contract has no owner, and none of your linked wallets is known to have deployed it.';
}

function refusal(reason: string): AppError {
  return new AppError('ROLE_NOT_ALLOWED', `${reason} You can also ask the server’s operator for permission.`);
}

const id = T.String({
  description: 'The token id, in decimal or as the 64 hexadecimal digits of ERC-1155.',
  pattern: '^(0x)?[0-9a-fA-F]{1,78}$',
  maxLength: 80,
});

export const nftMetadata = resource('nft-metadata', 'Metadata of NFT contracts and tokens.', [
  op(
    'POST /nft-contracts/{chainId}/{address}',
    {
      id: 'createContractMetadata',
      sdk: 'NFTMetadataController.createContractMetadata',
      summary: 'Describe an NFT contract',
      description:
        'Stores the contract’s metadata for marketplaces (ERC-7572): point the contractURI to the GET of the same path. You need a linked wallet that owns the contract: the account that its owner() names, a holder of its default admin role, or its deployer if it names no owner. An API key acts as its application’s owner. The operator can allow others. Calling it again replaces the metadata. Fails with ROLE_NOT_ALLOWED for anyone else, and with UNAVAILABLE while the chain cannot be read.',
      access: app(),
      params: { chainId, address },
      body: ContractMetadataCreate,
      returns: ContractMetadata,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
      before: requireController,
      repeatable: true,
    },
    createContractMetadata,
  ),
  op(
    'GET /nft-contracts/{chainId}/{address}',
    {
      id: 'getContractMetadata',
      sdk: 'NFTMetadataController.getContractMetadata',
      summary: 'Get an NFT contract’s metadata',
      description:
        'Returns metadata in the form that marketplaces read from a contractURI: name, description, image, symbol, banner_image, featured_image, collaborators, external_link, seller_fee_basis_points and fee_recipient.',
      access: anyone,
      params: { chainId, address },
      returns: ContractMetadata,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getContractMetadata,
  ),
  op(
    'POST /nft-tokens/{chainId}/{address}/{id}',
    {
      id: 'createTokenMetadata',
      sdk: 'NFTMetadataController.createTokenMetadata',
      summary: 'Describe a token',
      description:
        'Stores a token’s metadata, in the fields of ERC-721, ERC-1155 and marketplaces. Describe the contract first. The same callers as for the contract are allowed. Calling it again replaces the metadata.',
      access: app(),
      params: { chainId, address, id },
      body: TokenMetadataCreate,
      returns: TokenMetadata,
      errors: ['ENTITY_NOT_FOUND', 'UNAVAILABLE'],
      before: requireController,
      repeatable: true,
    },
    createTokenMetadata,
  ),
  op(
    'GET /nft-tokens/{chainId}/{address}/{id}',
    {
      id: 'getTokenMetadata',
      sdk: 'NFTMetadataController.getTokenMetadata',
      summary: 'Get a token’s metadata',
      description:
        'Returns metadata in the form that wallets and marketplaces read from a tokenURI of ERC-721 or a uri of ERC-1155: name, description, image, attributes, animation_url, external_url, image_data, background_color, youtube_url, decimals, properties and localization.',
      access: anyone,
      params: { chainId, address, id },
      returns: TokenMetadata,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getTokenMetadata,
  ),
]);

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
