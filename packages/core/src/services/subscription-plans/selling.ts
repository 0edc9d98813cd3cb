import { notSetUp } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import type { SellingSettings } from '../../shared/settings.ts';

type SellingContext = Pick<Context, 'settings'>;

export function sellingSettings({ settings }: SellingContext): SellingSettings {
  return { ...sellingDefaults, ...settings.selling };
}

/** Whether plans are sold here. If not, every feature is included. */
export function sellsPlans(ctx: SellingContext): boolean {
  return ctx.settings.selling?.isOn ?? sellingDefaults.isOn;
}

export function requireSelling(ctx: SellingContext): void {
  if (sellsPlans(ctx)) return;
  throw notSetUp(
    'This server does not sell plans: every feature is included. The operator can change that with LATCHKEY_SELL_PLANS.',
  );
}

const sellingDefaults: SellingSettings = { isOn: false, graceDays: 7 };
