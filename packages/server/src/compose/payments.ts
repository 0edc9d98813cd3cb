import { createLocks } from '@latchkey/chains';
import type { Services } from '@latchkey/core';
import { createStripe } from '@latchkey/integrations';
import type { Clock } from '@latchkey/kernel';
import type { Config } from '../config.ts';

const timeoutMs = 10_000;

/** Ways to pay: by card when Stripe is configured, and with keys of locks on the configured EVM chains. */
export function composePayments(
  { stripe, unlockUrl, evmRpcUrls }: Pick<Config, 'stripe' | 'unlockUrl' | 'evmRpcUrls'>,
  { clock }: { clock: Clock },
): Pick<Services, 'cards' | 'locks'> {
  const { secretKey, webhookSecret, url } = stripe;
  if (secretKey !== undefined && webhookSecret === undefined)
    throw new Error('LATCHKEY_STRIPE_SECRET_KEY is set, so LATCHKEY_STRIPE_WEBHOOK_SECRET must be set too.');
  return {
    cards:
      secretKey === undefined || webhookSecret === undefined
        ? undefined
        : createStripe({ secretKey, webhookSecret, clock, url }),
    locks:
      evmRpcUrls.size === 0
        ? undefined
        : createLocks({ checkoutUrl: unlockUrl, rpcUrlsOf: (chain) => evmRpcUrls.get(chain) ?? [], timeoutMs }),
  };
}
