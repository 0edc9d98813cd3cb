import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { lookAtRoles } from '../../gating/role-plans/index.ts';
import { linkWallet } from '../wallets/index.ts';
import type { AccountAddressRequest, WalletBalance } from './account.ts';

/** Links a wallet to the caller's account, and tells what it holds of its chain's own coin, if that can be read. */
export async function addWalletAddress(
  ctx: Context,
  { body }: { body: AccountAddressRequest },
): Promise<WalletBalance> {
  const { namespace, chain } = readChain(body.chainId ?? 'evm:1');
  const address = await linkWallet(
    ctx,
    { namespace, chain, address: body.address, message: body.message, signature: body.signedMessage },
    lookAtRoles,
  );
  const question = { chain: `${namespace}:${chain}`, standard: 'native', reference: 'currency', account: address };
  if (!ctx.holdings.reads(question)) return { address, accounts: [] };
  const [answer] = await ctx.holdings.read([{ ...question, needs: 'amount' }]);
  if (answer?.kind !== 'read') return { address, accounts: [] };
  return { address, accounts: [{ chainId: question.chain, balance: answer.amount }] };
}

function readChain(chainId: string): { namespace: string; chain: string } {
  const [, prefix = 'evm', chain] = /^(?:([-a-z0-9]{2,16}):)?([-a-zA-Z0-9]{1,32})$/.exec(chainId) ?? [];
  if (chain === undefined)
    throw new AppError('VALIDATION_FAILED', 'The body at /chainId must be a chain, for example 1 or evm:137.', {
      details: [{ path: '/chainId', code: 'chain', message: 'must be a chain id' }],
    });
  return { namespace: prefix === 'eip155' ? 'evm' : prefix, chain };
}
