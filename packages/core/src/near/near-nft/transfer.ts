import { AppError } from '@latchkey/kernel';
import type { NearStep } from '../../ports/index.ts';
import { amountOf, invalidField, type NearContext, needed, requireNetwork, viewOf, withNear } from './near-setup.ts';
import { perform } from './perform.ts';
import { getTokenOf } from './sale-on-chain.ts';
import { requireOwner } from './sell.ts';
import { describeContract, writeToken } from './token-reads.ts';
import type { NearToEthTransfer, Token, TokenTransfer } from './token-records.ts';

/** Hands a token to another account. */
export function transferToken(
  ctx: NearContext,
  { 'x-near-signature': signatures, body }: { 'x-near-signature'?: string | undefined; body: TokenTransfer },
): Promise<Token> {
  return withNear(ctx, async (near) => {
    const contract = needed('/tokenAddress', body.tokenAddress);
    const tokenId = needed('/tokenId', body.tokenId);
    const sender = needed('/sender', body.sender);
    const receiver = needed('/receiver', body.receiver);
    if (sender === receiver) throw invalidField('/receiver', 'has the token already');
    const done = await perform(ctx, {
      operation: 'transfer',
      request: body,
      signerId: sender,
      signatures,
      prepare: async () => {
        requireOwner((await getTokenOf(near, contract, tokenId)).owner, sender);
        if ((await near.findAccount(receiver)) === undefined)
          throw new AppError('STATE_CONFLICT', `There is no account ${receiver}, so nobody could have the token.`);
        const memo = body.price === undefined ? {} : { memo: `price: ${body.price}` };
        const args = { receiver_id: receiver, token_id: tokenId, ...memo };
        const step: NearStep = { kind: 'call', method: 'nft_transfer', args, teraGas: 30, yocto: '1' };
        return { transactions: [{ receiverId: contract, steps: [step] }], seen: { owner: sender } };
      },
    });
    const token = await getTokenOf(near, contract, tokenId);
    const written = writeToken(near, contract, token, await describeContract(ctx, near, contract));
    return done.kind === 'to-sign' ? { ...written, toSign: done.toSign } : { ...written, transactionHash: done.hash };
  });
}

/** Burns bridged tokens, so that they can be had on Ethereum. */
export function nearToEth(
  ctx: NearContext,
  { 'x-near-signature': signatures, body }: { 'x-near-signature'?: string | undefined; body: NearToEthTransfer },
): Promise<Record<string, unknown>> {
  return withNear(ctx, async (near) => {
    requireNetwork(near, body.chainId);
    const { bridgeTokenContract: contract, sender, amount } = body;
    const recipient = body.recipient.replace(/^0x/, '').toLowerCase();
    if (BigInt(amount) === 0n) throw invalidField('/amount', 'must be more than nothing');
    const balanceOf = async () =>
      amountOf(
        await viewOf(near, { contract, method: 'ft_balance_of', args: { account_id: sender }, what: 'bridged token' }),
      );
    const done = await perform(ctx, {
      operation: 'withdraw',
      request: body,
      signerId: sender,
      signatures,
      prepare: async () => {
        const held = await balanceOf();
        if (held < BigInt(amount)) throw new AppError('STATE_CONFLICT', `${sender} has ${held} of the token only.`);
        const step: NearStep = {
          kind: 'call',
          method: 'withdraw',
          args: { amount, recipient },
          teraGas: 100,
          yocto: '1',
        };
        return { transactions: [{ receiverId: contract, steps: [step] }], seen: {} };
      },
    });
    const written = {
      bridgeTokenContract: contract,
      sender,
      recipient: `0x${recipient}`,
      amount,
      chainId: near.network,
    };
    if (done.kind === 'to-sign') return { ...written, status: 'to-sign', toSign: done.toSign };
    return { ...written, status: 'withdrawn', transactionHash: done.hash, balance: String(await balanceOf()) };
  });
}
