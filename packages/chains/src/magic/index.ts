import type { WalletNamespace } from '@latchkey/core/ports';
import type { Clock } from '@latchkey/kernel';
import { normalizeEvmAddress } from '../evm/address.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import { verifyDidToken } from './did-token.ts';

export type { DidTokenClaim, DidTokenExpectation, DidTokenVerdict } from './did-token.ts';

export interface MagicWalletsOptions {
  clock: Clock;
  /** The id of the application of Magic that people sign in to; undefined accepts tokens made for any. */
  audience: string | undefined;
}

/** Wallets that Magic keeps for people. The signature is a DID token, and the message is what was attached to it. */
export function createMagicWallets({ clock, audience }: MagicWalletsOptions): WalletNamespace {
  return {
    namespace: 'magic',
    normalizeAddress: (address) => normalizeEvmAddress(address),
    async verify({ address, message, signature }) {
      if (typeof message !== 'string' || !message.isWellFormed()) {
        return { kind: 'invalid', reason: 'The message is not a string.' };
      }
      await yieldToEventLoop();
      const verdict = verifyDidToken(signature, { now: clock(), address, audience, attachment: message });
      return verdict.kind === 'valid' ? { kind: 'valid', address: verdict.address } : verdict;
    },
  };
}
