import type { WalletNamespace } from '@latchkey/core/ports';
import type { Clock } from '@latchkey/kernel';
import { normalizeEvmAddress } from '../evm/address.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import { verifyDidToken } from './did-token.ts';

export type { DidTokenClaim, DidTokenExpectation, DidTokenVerdict } from './did-token.ts';

export interface MagicWalletsOptions {
  clock: Clock;
  /** The id of the Magic application that users sign in to. If undefined, tokens of any application are accepted. */
  audience: string | undefined;
}

/** Creates wallets hosted by Magic. The signature is a DID token, and the message is its attachment. */
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
