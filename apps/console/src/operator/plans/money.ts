export interface Price {
  billingPeriod: 'monthly' | 'yearly';
  currency: string;
  amount: number;
}

/** How many digits of an amount stand behind the point in this currency. */
export function digitsOf(currency: string): number {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

export function sayPrice({ billingPeriod, currency, amount }: Price): string {
  const value = amount / 10 ** digitsOf(currency);
  const words = billingPeriod === 'monthly' ? 'a month' : 'a year';
  try {
    return `${new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(value)} ${words}`;
  } catch {
    return `${value} ${currency} ${words}`;
  }
}
