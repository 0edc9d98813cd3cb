import { AppError, notFound } from '@latchkey/kernel';
import type { Near, NearStep } from '../../ports/index.ts';
import { findContract } from './contract-queries.ts';
import { capsOf } from './create-contract.ts';
import { mintPurpose } from './mint-facts.ts';
import { invalidField, type NearContext, viewOf, withNear } from './near-setup.ts';
import { findTokenOf } from './sale-on-chain.ts';
import { hashOfRequest, type Sent, sendOnce } from './send-once.ts';
import type { NEP171TokenMetadata, NEP171TokenTypes, TokenSettings } from './token-records.ts';

const teraGas = 30;
/** For the token's storage in its contract, which refunds what it does not need. */
const mintYocto = '10000000000000000000000';

/** Returns who created the contract here. */
export async function makerOf(
  ctx: NearContext,
  address: string,
  kind: 'token' | 'market',
): Promise<string | undefined> {
  if (ctx.near === undefined) return undefined;
  const row = await findContract(ctx.db.system, ctx.near.network, address);
  return row?.kind === kind ? row.created_by_id : undefined;
}

interface Change {
  address: string;
  method: string;
  args: Record<string, unknown>;
  /** Identifies the change, which happens once. */
  purpose: string;
  yocto?: string;
  isThere?: () => Promise<boolean>;
}

/** The same arguments are the same change. */
const purposeOf = (what: string, address: string, args: Change['args']) => `${what}/${address}/${hashOfRequest(args)}`;

function change(ctx: NearContext, wanted: Change): Promise<Sent> {
  const { address, method, args, purpose, yocto = '0', isThere } = wanted;
  const steps: NearStep[] = [{ kind: 'call', method, args, teraGas, yocto }];
  return sendOnce(ctx, { purpose, request: args, receiverId: address, steps, ...(isThere && { isThere }) });
}

export function addTokenTypes(
  ctx: NearContext,
  { address, body }: { address: string; body: NEP171TokenTypes },
): Promise<Record<string, unknown>> {
  return withNear(ctx, async (near) => {
    if (!body.types?.length) throw invalidField('/types', 'must contain at least one type');
    const args = { supply_cap_by_type: capsOf(body.types, '/types'), locked: body.locked ?? false };
    const { hash } = await change(ctx, {
      address,
      method: 'add_token_types',
      args,
      purpose: purposeOf('add-types', address, args),
    });
    return { transactionHash: hash, types: await typesOf(near, address) };
  });
}

export function unlockTokenTypes(
  ctx: NearContext,
  { address, body }: { address: string; body: string[] },
): Promise<Record<string, unknown>> {
  return withNear(ctx, async (near) => {
    const args = { token_types: body };
    const { hash } = await change(ctx, {
      address,
      method: 'unlock_token_types',
      args,
      purpose: purposeOf('unlock', address, args),
    });
    return { transactionHash: hash, types: await typesOf(near, address) };
  });
}

function typesOf(near: Near, contract: string): Promise<unknown> {
  return viewOf(near, { contract, method: 'get_token_types', what: 'token contract' });
}

export function addFtTokenIds(
  ctx: NearContext,
  { address, body }: { address: string; body: string[] },
): Promise<Record<string, unknown>> {
  return withNear(ctx, async (near) => {
    for (const [index, token] of body.entries()) {
      const { kind } = near.isAccountId(token) ? await near.view(token, 'ft_metadata', {}) : { kind: 'none' };
      if (kind !== 'value') throw invalidField(`/${index}`, `${token} is not a fungible token contract`);
    }
    const args = { ft_token_ids: body };
    const { hash } = await change(ctx, {
      address,
      method: 'add_ft_token_ids',
      args,
      purpose: purposeOf('add-tokens', address, args),
    });
    const reply = await viewOf(near, { contract: address, method: 'supported_ft_token_ids', what: 'market contract' });
    return { transactionHash: hash, ftTokenIds: reply };
  });
}

/** Mints a token, and checks on the chain that it exists and who owns it. */
export function mintToken(
  ctx: NearContext,
  { address, receiverId, body }: { address: string; receiverId?: string | undefined; body: TokenSettings },
): Promise<{ tokenId: string; transactionHash: string }> {
  return withNear(ctx, async (near) => {
    const tokenId = body.id ?? ctx.random.id(16);
    const receiver = receiverId ?? near.account.id;
    if (!near.isAccountId(receiver)) throw notFound('receiver');
    const royalties = royaltiesOf(body);
    const args = {
      token_id: tokenId,
      metadata: metadataOf(body),
      receiver_id: receiver,
      ...(body.type !== undefined && { token_type: body.type }),
      ...(royalties !== undefined && { perpetual_royalties: royalties }),
    };
    const isThere = async () => (await findTokenOf(near, address, tokenId)) !== undefined;
    const mint = { address, method: 'nft_mint', args, purpose: mintPurpose(address, tokenId) };
    const minted = await change(ctx, { ...mint, yocto: mintYocto, isThere });
    if (!(await isThere()))
      throw new AppError('STATE_CONFLICT', 'The contract accepted the call but did not mint a token with this id.');
    return { tokenId, transactionHash: minted.hash };
  });
}

function metadataOf({ name, metadataUrl, metadata, properties }: TokenSettings): NEP171TokenMetadata {
  const title = metadata?.title ?? name;
  const reference = metadata?.reference ?? metadataUrl;
  const copies = metadata?.copies ?? properties?.issuance;
  return {
    ...metadata,
    ...(title !== undefined && { title }),
    ...(reference !== undefined && { reference }),
    ...(copies !== undefined && { copies }),
  };
}

/** Shares by account, as contracts expect them; 10000 is 100%. */
function royaltiesOf({ properties }: TokenSettings): Record<string, number> | undefined {
  const royalties = properties?.royalties;
  if (royalties === undefined) return undefined;
  const shares: Record<string, number> = {};
  for (const [index, { address, value }] of royalties.entries()) {
    const path = `/properties/royalties/${index}`;
    if (address === undefined || value === undefined) throw invalidField(path, 'needs an address and a value');
    shares[address] = (shares[address] ?? 0) + Number(value);
  }
  const total = Object.values(shares).reduce((sum, share) => sum + share, 0);
  if (total > 10_000) throw invalidField('/properties/royalties', 'must not add up to more than 10000');
  return shares;
}
