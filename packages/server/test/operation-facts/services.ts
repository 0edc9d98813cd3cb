import type { OperationFacts } from './index.ts';

export const servicesFacts: Readonly<Record<string, OperationFacts>> = {
  updateDebugSettings: { freeBody: 'Levels by the names of processes.' },
  saveSubscriptionPlan: {
    senderDecides:
      'audience name description prices billingPeriod currency amount priceId minBuyMonths maxClientApps maxMiniApps rateLimits points duration key label scopes features identifier metadata hide allowedScopes disallowedScopes locks address chainId skipRecipient checkPeriodSeconds offeredUntil',
  },
};
