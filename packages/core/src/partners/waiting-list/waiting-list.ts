import { createHmac } from 'node:crypto';
import { notSetUp, record, T, text, type ValueOf } from '@latchkey/kernel';
import { keptSecrets, type SecretContext } from '../../services/secrets/index.ts';
import type { Context } from '../../shared/context.ts';
import type { WaitingListSettings } from '../../shared/partner-settings.ts';

export const GetQuoteResponse = record('GetQuoteResponse', 'A signed offer of a place on the waiting list.', {
  userIdHash: T.Optional(text('Identifies the caller on the chain; 32 bytes.', { maxLength: 66 })),
  price: T.Optional(text('The value to send, in wei.', { maxLength: 80 })),
  expiresAt: T.Optional(T.Number({ description: 'Until when the contract accepts it, in seconds since 1970.' })),
  signature: T.Optional(text('The signature by EIP-712 that the contract checks.', { maxLength: 256 })),
  chainId: T.Optional(T.Number({ description: 'The chain that the offer is for.' })),
  contractAddress: T.Optional(text('The contract that the offer is for.', { maxLength: 42 })),
});
export type GetQuoteResponse = ValueOf<typeof GetQuoteResponse>;

/** Returns the settings of the waiting list. Throws if the operator has not set it up. */
export function configured({ settings }: Pick<Context, 'settings'>): WaitingListSettings {
  const list = settings.partners?.waitingList;
  if (list === undefined || list.contracts.length === 0)
    throw notSetUp('This server has no waiting list. Its operator can configure one.');
  return list;
}

/**
 * Returns a user's id on the chain. It is keyed with a secret of this server, since anyone could try all ids of a chat
 * platform against a plain hash and read the whole waiting list.
 */
export async function hashUserId(ctx: SecretContext, userId: string): Promise<string> {
  const [{ secret }] = await keptSecrets(ctx, 'waiting-list.salt');
  return `0x${createHmac('sha256', secret).update(userId).digest('hex')}`;
}

/** Returns the key that signs quotes. */
export async function signerKey(ctx: SecretContext): Promise<Uint8Array> {
  const [{ secret }] = await keptSecrets(ctx, 'waiting-list.signer');
  return secret;
}
