import { AppError, principalId } from '@latchkey/kernel';
import type { Near, NearStep } from '../../ports/index.ts';
import { requireSpender } from '../../services/spending/index.ts';
import {
  activateContract,
  countContracts,
  deletePendingContract,
  findContract,
  insertContract,
  lockMaker,
} from './contract-queries.ts';
import type { MarketContractSettings } from './market-records.ts';
import { invalidField, type NearContext, requireNetwork, viewOf, withNear } from './near-setup.ts';
import type { NearContractRow } from './queries.ts';
import { coinOf, type Sent, sendOnce, sentNothing } from './send-once.ts';
import type { NEP171TokenOption, TokenContract, TokenContractSettings } from './token-records.ts';
import { withChainMetadata, writeContract } from './write-contract.ts';

/** How many contracts one caller may create here: each costs this server's funds. */
export const maxContractsPerMaker = 20;
const nearlyEndless = '18446744073709551615';
const initTeraGas = 30;

/** Creates a token contract on a sub-account of this server's account. */
export function createTokenContract(
  ctx: NearContext,
  { body }: { body: TokenContractSettings },
): Promise<TokenContract> {
  return withNear(ctx, async (near) => {
    const name = body.metadata?.name ?? body.name ?? 'Tokens';
    const symbol = body.metadata?.symbol ?? name.slice(0, 8).toUpperCase();
    const reference = body.metadata?.reference ?? body.metadataUrl;
    const metadata = {
      spec: 'nft-1.0.0',
      ...body.metadata,
      name,
      symbol,
      ...(reference !== undefined && { reference }),
    };
    const init = {
      owner_id: near.account.id,
      metadata,
      ...(body.tokenOptions?.length && { supply_cap_by_type: capsOf(body.tokenOptions, '/tokenOptions') }),
    };
    const row = newRow(ctx, near, body.contractId, {
      kind: 'token',
      name,
      symbol,
      metadata_url: reference ?? null,
      owner: body.owner ?? null,
      classification: body.properties?.classification ?? null,
    });
    const made = await make(ctx, near, row, { code: near.setup.tokenCode, init });
    const reply = await viewOf(near, { contract: row.address, method: 'nft_metadata', what: 'token contract' });
    return withChainMetadata(writeContract(ctx, { ...row, transaction_hash: made.hash }), reply);
  });
}

/** Creates a market on a sub-account of this server's account. */
export function createMarketContract(
  ctx: NearContext,
  { body }: { body: MarketContractSettings },
): Promise<TokenContract> {
  return withNear(ctx, async (near) => {
    requireNetwork(near, body.chainId);
    const owner = body.ownerAccount ?? near.account.id;
    if ((await near.findAccount(owner)) === undefined)
      throw invalidField('/ownerAccount', 'is not an account, so the market fees could not be paid out');
    const init = {
      owner_id: near.account.id,
      ft_token_ids: body.ftTokenIds ?? [],
      fee_account_id: owner,
      fee_basis_points: near.setup.marketFeeBasisPoints,
    };
    const about = {
      kind: 'market',
      name: null,
      symbol: null,
      metadata_url: null,
      owner,
      classification: null,
    } as const;
    const row = newRow(ctx, near, body.contractId, about);
    const made = await make(ctx, near, row, { code: near.setup.marketCode, init });
    await viewOf(near, { contract: row.address, method: 'supported_ft_token_ids', what: 'market contract' });
    return writeContract(ctx, { ...row, transaction_hash: made.hash });
  });
}

/** Types and their caps, as contracts expect them. */
export function capsOf(options: readonly NEP171TokenOption[], path: string): Record<string, string> {
  const caps = options.map(({ type, cap }, index): [string, string] => {
    if (type === undefined) throw invalidField(`${path}/${index}/type`, 'is required');
    return [type, cap ?? nearlyEndless];
  });
  return Object.fromEntries(caps);
}

type About = Pick<NearContractRow, 'kind' | 'name' | 'symbol' | 'metadata_url' | 'owner' | 'classification'>;

function newRow(ctx: NearContext, near: Near, contractId: string | undefined, about: About): NearContractRow {
  const label = contractId ?? `${about.kind}-${Buffer.from(ctx.random.bytes(6)).toString('hex')}`;
  const address = `${label}.${near.account.id}`;
  if (!near.isAccountId(address)) throw invalidField('/contractId', `results in an invalid account name: ${address}`);
  return {
    ...about,
    network: near.network,
    address,
    created_by_id: principalId(ctx.actor),
    state: 'pending',
    transaction_hash: null,
    created_at: ctx.clock(),
  };
}

/** Records the contract as its creator's, creates it on the chain, and deletes the record if that failed. */
async function make(
  ctx: NearContext,
  near: Near,
  row: NearContractRow,
  { code, init }: { code: string; init: Record<string, unknown> },
): Promise<Sent> {
  await reserve(ctx, row);
  const steps: NearStep[] = [
    { kind: 'create-account' },
    { kind: 'transfer', yocto: String(near.setup.contractYocto) },
    { kind: 'add-full-access-key', publicKey: near.account.publicKey },
    { kind: 'use-code-of', accountId: code },
    { kind: 'call', method: 'new', args: init, teraGas: initTeraGas, yocto: '0' },
  ];
  const request = { maker: row.created_by_id, kind: row.kind, init };
  try {
    const isThere = async () => (await near.findAccount(row.address)) !== undefined;
    const purpose = `make/${row.address}`;
    const sent = await sendOnce(ctx, { purpose, request, receiverId: row.address, steps, isThere });
    await activateContract(ctx.db.system, row, sent.hash);
    return sent;
  } catch (error) {
    // Without a response from the chain the contract may exist: the record stays for the next attempt.
    if (error instanceof AppError && sentNothing.includes(error.code))
      await deletePendingContract(ctx.db.system, row.network, row.address);
    throw error;
  }
}

async function reserve(ctx: NearContext, row: NearContractRow): Promise<void> {
  const known = await findContract(ctx.db.system, row.network, row.address);
  const taken = new AppError('STATE_CONFLICT', `A contract already exists at ${row.address}.`);
  if (known !== undefined && known.created_by_id !== row.created_by_id) throw taken;
  if (known !== undefined) return;
  requireSpender(ctx, coinOf(row));
  await ctx.tx(async (tx) => {
    await lockMaker(tx, row.created_by_id);
    const isOperator = ctx.actor.kind === 'admin' || ctx.actor.kind === 'system';
    if (!isOperator && (await countContracts(tx, row.created_by_id)) >= maxContractsPerMaker)
      throw new AppError('PLAN_LIMIT_REACHED', `Each caller can create ${maxContractsPerMaker} contracts.`);
    if (!(await insertContract(tx, row))) throw taken;
  });
}
