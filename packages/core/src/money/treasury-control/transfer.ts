import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { SafeTransfer } from '../../ports/index.ts';
import type { ActionContent } from '../treasuries/index.ts';
import { type ProposeContext, propose } from './propose.ts';
import type { TransferRequest, TreasuryAction } from './records.ts';

/** Proposes to move something out of a wallet. */
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
    if (body.token !== undefined) throw invalid('token', 'The coin of the chain has no token contract.');
    return { kind, to, amount: readNumber('amount', body.amount, 1n) };
  }
  const token = readAddress(ctx, 'token', body.token);
  if (kind === 'erc20') return { kind, token, to, amount: readNumber('amount', body.amount, 1n) };
  const tokenId = readNumber('tokenId', body.tokenId, 0n);
  if (kind === 'erc1155') return { kind, token, to, tokenId, amount: readNumber('amount', body.amount, 1n) };
  if (body.amount !== undefined) throw invalid('amount', 'A token of ERC-721 is sent whole: leave amount out.');
  return { kind, token, to, tokenId };
}

function readNumber(name: string, value: string | undefined, least: bigint): bigint {
  if (value === undefined) throw invalid(name, `This transfer needs ${name}.`);
  const number = BigInt(value);
  if (number < least || number > largest) throw invalid(name, `${name} must be between ${least} and 2^256 - 1.`);
  return number;
}

/** In EIP-55 form; a wrong checksum is a typing mistake, and nobody gets back what is sent there. */
export function readAddress(ctx: Pick<Context, 'wallets'>, name: string, value: string | undefined): string {
  if (value === undefined) throw invalid(name, `This transfer needs ${name}.`);
  const address = ctx.wallets.evm.normalizeAddress(value, '');
  if (address === undefined) throw invalid(name, `${name} is not an EVM address, or its checksum is wrong.`);
  if (BigInt(address) <= 1n) throw invalid(name, `Nobody owns the address in ${name}.`);
  return address;
}

export function invalid(name: string, message: string): AppError {
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
