import type { LocksOptions } from '@latchkey/chains/evm-locks';
import type { Services } from '@latchkey/core';
import type { StripeOptions } from '@latchkey/integrations/stripe';
import type { Clock } from '@latchkey/kernel';
import type { Config } from '../config.ts';
import { fetchTo } from '../egress/index.ts';

const timeoutMs = 10_000;

/**
 * Creates the payment methods: cards if Stripe is configured, and membership keys (Unlock) on the configured EVM
 * chains.
 */
export async function composePayments(
  { stripe, unlockUrl, evmRpcUrls }: Pick<Config, 'stripe' | 'unlockUrl' | 'evmRpcUrls'>,
  { clock }: { clock: Clock },
): Promise<Pick<Services, 'cards' | 'locks'>> {
  const { secretKey, webhookSecret, url } = stripe;
  if (secretKey !== undefined && webhookSecret === undefined)
    throw new Error('LATCHKEY_STRIPE_SECRET_KEY is set, so LATCHKEY_STRIPE_WEBHOOK_SECRET must be set too.');
  return {
    cards:
      secretKey === undefined || webhookSecret === undefined
        ? undefined
        : await cardsOf({ secretKey, webhookSecret, clock, url, fetch: fetchTo([url]) }),
    locks:
      evmRpcUrls.size === 0
        ? undefined
        : await locksOf({
            checkoutUrl: unlockUrl,
            rpcUrlsOf: (chain) => evmRpcUrls.get(chain) ?? [],
            timeoutMs,
            fetch: fetchTo([...evmRpcUrls.values()].flat()),
          }),
  };
}

/** Stripe's library is large, so only a server that uses it loads it. */
async function cardsOf(options: StripeOptions): Promise<Services['cards']> {
  const { createStripe } = await import('@latchkey/integrations/stripe');
  return createStripe(options);
}

/** The library that reads contracts is large too. */
async function locksOf(options: LocksOptions): Promise<Services['locks']> {
  const { createLocks } = await import('@latchkey/chains/evm-locks');
  return createLocks(options);
}
