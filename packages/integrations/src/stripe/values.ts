/** The metadata names of our ids at Stripe. */
export const checkoutKey = 'latchkey_checkout';
export const planKey = 'latchkey_plan';

export function idOf(value: string | { id: string }): string {
  return typeof value === 'string' ? value : value.id;
}

export function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

export function dateOf(epochSeconds: number): Date {
  return new Date(epochSeconds * 1000);
}
