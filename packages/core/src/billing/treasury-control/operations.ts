import {
  type Access,
  AppError,
  guarded,
  op,
  owns,
  type Page,
  pageOf,
  pageParams,
  principalId,
  shape,
  T,
  text,
} from '@latchkey/kernel';
import { administersCommunity, requireCommunityAdmin } from '../../communities/access/index.ts';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { ownerOfOrganization } from '../../identity/organizations/index.ts';
import { selectWallets } from '../../identity/wallets/index.ts';
import type { SafeTransfer } from '../../ports/index.ts';
import {
  type ActionContent,
  beginDeployment,
  describeTreasury,
  findOpen,
  findTreasury,
  getSafes,
  listActions,
  lockTreasury,
  type TreasuryRow,
} from '../../services/treasuries/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { approveTreasuryAction } from './approve.ts';
import { askChain, getTreasury, requirePayment } from './own-treasury.ts';
import { type ProposeContext, propose } from './propose.ts';
import {
  evmAddress,
  HandoffRequest,
  TransferRequest,
  Treasury,
  TreasuryAction,
  toAction,
  toTreasury,
} from './records.ts';

/** Who may see a wallet: admins of its community, the owner of its organization, and the operator. */
export const treasuryReader: Access<Context> = guarded(
  { roles: ['$user_account', '$admin'], scopes: [] },
  'address',
  'treasury',
  async (ctx: Context, address) => {
    const treasury = await findTreasury(ctx.db.system, address);
    if (treasury === undefined) return false;
    if (treasury.kind === 'community') return administersCommunity(ctx, treasury.holder_id);
    return owns(ctx.actor, await ownerOfOrganization(ctx, treasury.holder_id));
  },
);

/**
 * Who may use it: the owner of its community, as long as the platform confirms it, or the owner of its organization.
 * Only in person: neither an application nor the operator moves other people's funds.
 */
export const treasuryOwner: Access<Context> = guarded(
  { roles: ['$user_account'], scopes: [] },
  'address',
  'treasury',
  async (ctx: Context, address) => {
    const treasury = await findTreasury(ctx.db.system, address);
    if (treasury === undefined || !(await isTheirs(ctx, treasury))) return false;
    if (treasury.kind === 'community') await requireCommunityAdmin(ctx, treasury.holder_id);
    return true;
  },
);

/** Whether the caller owns the community or organization of the wallet. Makes no external call. */
export async function isTheirs(
  ctx: Pick<Context, 'actor' | 'db'>,
  { kind, holder_id }: Pick<TreasuryRow, 'kind' | 'holder_id'>,
): Promise<boolean> {
  if (ctx.actor.kind !== 'user') return false;
  const ownerId =
    kind === 'organization'
      ? await ownerOfOrganization(ctx, holder_id)
      : (await selectCommunity(ctx.db.system, holder_id))?.owner_id;
  return ownerId === principalId(ctx.actor);
}

/** Proposes a transfer out of a wallet. */
export async function proposeTransfer(
  ctx: ProposeContext,
  { address, body }: { address: string; body: TransferRequest },
): Promise<TreasuryAction> {
  const transfer = readTransfer(ctx, body);
  return propose(ctx, address, {
    kind: 'transfer',
    content: contentOf(transfer),
    callOf: (safes, { safe_address }) => {
      if (transfer.to.toLowerCase() === safe_address.toLowerCase())
        throw invalid('to', 'The wallet cannot send to itself.');
      return safes.encodeTransfer(safe_address, transfer);
    },
  });
}

const largest = (1n << 256n) - 1n;

function readTransfer(ctx: Pick<Context, 'wallets'>, body: TransferRequest): SafeTransfer {
  const kind = body.standard ?? (body.token === undefined ? 'coin' : 'erc20');
  const to = readAddress(ctx, 'to', body.to);
  if (kind === 'coin') {
    if (body.token !== undefined) throw invalid('token', 'The chain’s native coin has no token contract.');
    return { kind, to, amount: readNumber('amount', body.amount, 1n) };
  }
  const token = readAddress(ctx, 'token', body.token);
  if (kind === 'erc20') return { kind, token, to, amount: readNumber('amount', body.amount, 1n) };
  const tokenId = readNumber('tokenId', body.tokenId, 0n);
  if (kind === 'erc1155') return { kind, token, to, tokenId, amount: readNumber('amount', body.amount, 1n) };
  if (body.amount !== undefined) throw invalid('amount', 'An ERC-721 token is sent whole: omit amount.');
  return { kind, token, to, tokenId };
}

function readNumber(name: string, value: string | undefined, least: bigint): bigint {
  if (value === undefined) throw invalid(name, `This transfer needs ${name}.`);
  const number = BigInt(value);
  if (number < least || number > largest) throw invalid(name, `${name} must be between ${least} and 2^256 - 1.`);
  return number;
}

/** In EIP-55 form; a wrong checksum is a typo, and funds sent there would be lost. */
function readAddress(ctx: Pick<Context, 'wallets'>, name: string, value: string | undefined): string {
  if (value === undefined) throw invalid(name, `This transfer needs ${name}.`);
  const address = ctx.wallets.evm.normalizeAddress(value, '');
  if (address === undefined) throw invalid(name, `${name} is not an EVM address, or its checksum is wrong.`);
  if (BigInt(address) <= 1n) throw invalid(name, `${name} must not be the zero address or address 1.`);
  return address;
}

function invalid(name: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', message, { details: [{ path: `/${name}`, code: 'invalid', message }] });
}

function contentOf(transfer: SafeTransfer): ActionContent {
  return {
    standard: transfer.kind,
    to: transfer.to,
    ...('token' in transfer && { token: transfer.token }),
    ...('tokenId' in transfer && { tokenId: String(transfer.tokenId) }),
    ...('amount' in transfer && { amount: String(transfer.amount) }),
  };
}

const mostWallets = 1_000;

/**
 * Proposes to make one of the owner's own wallets the owner of the Safe. It must be a wallet that they proved to own.
 */
export async function proposeHandoff(
  ctx: ProposeContext,
  { address, body }: { address: string; body: { newOwner: string } },
): Promise<TreasuryAction> {
  const newOwner = readAddress(ctx, 'newOwner', body.newOwner);
  const wallets = await selectWallets(ctx.db.system, principalId(ctx.actor), undefined, mostWallets);
  const isOwn = wallets.some(
    (wallet) => wallet.namespace === 'evm' && wallet.address === newOwner && wallet.signer_address === null,
  );
  if (!isOwn)
    throw invalid(
      'newOwner',
      'Link this wallet to your account first. This protects the Safe from a mistyped address.',
    );
  return propose(ctx, address, {
    kind: 'handoff',
    content: { newOwner },
    callOf: (safes, { safe_address, owner_address }) => safes.encodeOwnerChange(safe_address, owner_address, newOwner),
  });
}

const address = evmAddress('The address of the wallet, as PUT /communities/{communityId}/wallet returns it.');
const actionId = text('The id of the action.', { minLength: 1, maxLength: 64 });
const owner = 'For the owner of the community or organization, signed in directly.';
const pays =
  'Fails with ROLE_NOT_ALLOWED if the operator does not pay fees for you, and with RATE_LIMITED once the daily budget is used up.';

export const treasuryOperations = [
  op(
    'GET /latchkey/treasuries/{address}',
    {
      id: 'getTreasuryByAddress',
      summary: 'Get a wallet’s status and balance',
      description:
        'Returns the wallet of a community or organization as its chain shows it now. For admins of the community, the owner of the organization and the operator.',
      access: treasuryReader,
      params: { address },
      returns: Treasury,
    },
    getTreasuryByAddress,
  ),
  op(
    'GET /latchkey/treasuries/{address}/actions',
    {
      id: 'listTreasuryActions',
      summary: 'List a wallet’s history',
      description:
        'Returns the wallet’s past and pending actions on this server: deployments, transfers and handoffs, newest first.',
      access: treasuryReader,
      params: { address, ...pageParams },
      returns: pageOf(TreasuryAction, 'TreasuryActionPage'),
      paginated: 'token',
    },
    listTreasuryActions,
  ),
  op(
    'POST /latchkey/treasuries/{address}/deploy',
    {
      id: 'deployTreasury',
      summary: 'Deploy a wallet',
      description: `Deploys the Safe from the operator’s account. If you skip this, the wallet is deployed with its first transfer. Repeated calls return the same deployment while it is in progress. ${owner} Fails with STATE_CONFLICT if the wallet is already deployed. ${pays}`,
      audit: 'treasury.deploy',
      access: treasuryOwner,
      params: { address },
      returns: TreasuryAction,
      errors: ['ROLE_NOT_ALLOWED', 'STATE_CONFLICT', 'UNAVAILABLE', 'NOT_CONFIGURED'],
    },
    deployTreasury,
  ),
  op(
    'POST /latchkey/treasuries/{address}/transfers',
    {
      id: 'proposeTransfer',
      summary: 'Propose a transfer from a wallet',
      description: `Prepares a transfer of coins or a token (ERC-20, ERC-721, ERC-1155) from the wallet. Nothing is sent yet: show approval.summary and approval.warnings, then approve within five minutes. ${owner} Fails with STATE_CONFLICT if the balance is too low, the transfer would fail, another one is in progress, or the wallet was handed over. ${pays}`,
      audit: 'treasury.propose',
      access: treasuryOwner,
      params: { address },
      body: TransferRequest,
      returns: TreasuryAction,
      errors: ['ROLE_NOT_ALLOWED', 'STATE_CONFLICT', 'UNAVAILABLE', 'NOT_CONFIGURED', 'VALIDATION_FAILED'],
    },
    proposeTransfer,
  ),
  op(
    'POST /latchkey/treasuries/{address}/handoff',
    {
      id: 'proposeHandoff',
      summary: 'Propose a wallet handoff',
      description: `Prepares to make one of your linked wallets the owner of the Safe. Once approved and done, only that wallet can transfer the Safe’s funds, and this server cannot undo it. ${owner} ${pays}`,
      audit: 'treasury.propose',
      access: treasuryOwner,
      params: { address },
      body: HandoffRequest,
      returns: TreasuryAction,
      errors: ['ROLE_NOT_ALLOWED', 'STATE_CONFLICT', 'UNAVAILABLE', 'NOT_CONFIGURED', 'VALIDATION_FAILED'],
    },
    proposeHandoff,
  ),
  op(
    'POST /latchkey/treasuries/{address}/actions/{actionId}/approve',
    {
      id: 'approveTreasuryAction',
      summary: 'Approve a proposed transfer or handoff',
      description: `Signs and sends the proposed action; the wallet is deployed first if necessary. In otp, send the six digits of an authenticator app, or the slug that POST /webauthn/authentication/store returns for a response to approval.passkeyOptions. Either is valid only for this action, once. The history shows its progress. ${owner} Fails with INVALID_OTP for a wrong proof, with STATE_CONFLICT if the proposal has expired or the wallet has changed, and with UNAVAILABLE while the signer or the chain is down.`,
      audit: 'treasury.approve',
      access: treasuryOwner,
      params: { address, actionId },
      body: shape(
        T.Object({
          otp: text('A code from an authenticator app, or the slug of a passkey response.', {
            minLength: 1,
            maxLength: 256,
          }),
        }),
      ),
      returns: TreasuryAction,
      errors: [
        'ROLE_NOT_ALLOWED',
        'INVALID_OTP',
        'TOO_MANY_TRIES',
        'ENTITY_NOT_FOUND',
        'STATE_CONFLICT',
        'UNAVAILABLE',
        'NOT_CONFIGURED',
      ],
    },
    approveTreasuryAction,
  ),
] as const;

type ReadContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'safes'>;
type Named = { address: string };

export async function getTreasuryByAddress(ctx: ReadContext, { address }: Named): Promise<Treasury> {
  const treasury = await getTreasury(ctx, address);
  return toTreasury(treasury, await describeTreasury(ctx, treasury), await isTheirs(ctx, treasury));
}

export async function listTreasuryActions(
  ctx: ReadContext,
  { address, ...request }: Named & PageRequest,
): Promise<Page<TreasuryAction>> {
  const { safe_address } = await getTreasury(ctx, address);
  const page = await paginate(ctx, request, {
    list: `treasury-actions/${safe_address}`,
    read: (after, limit) => listActions(ctx.db.system, safe_address, ctx.clock(), after, limit),
    cursorOf: ({ created_at, id }) => [created_at.toISOString(), id],
  });
  return { ...page, items: page.items.map(toAction) };
}

type DeployContext = Pick<Context, 'actor' | 'clock' | 'db' | 'random' | 'safes' | 'settings'>;

/** Deploys a Safe from the operator's account. Repeated calls return the same deployment. */
export async function deployTreasury(ctx: DeployContext, { address }: { address: string }): Promise<TreasuryAction> {
  const treasury = await getTreasury(ctx, address);
  const safes = getSafes(ctx, treasury.chain_id);
  const open = await findOpen(ctx.db.system, treasury.safe_address, 'deployment');
  if (open === undefined) {
    const { isDeployed } = await askChain(safes, (chain) => chain.readState(treasury.safe_address));
    if (isDeployed) throw new AppError('STATE_CONFLICT', 'This wallet is already deployed.');
    await requirePayment(ctx, treasury, principalId(ctx.actor));
  }
  const action = await ctx.db.transaction('system', async (tx) => {
    await lockTreasury(tx, treasury.safe_address);
    return beginDeployment(ctx, tx, treasury, principalId(ctx.actor));
  });
  return toAction(action);
}
