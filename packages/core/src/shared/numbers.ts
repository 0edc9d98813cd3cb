/** A count or an exact amount for people: `1,000,000` or `1,234.5`. What is not a plain number stays unchanged. */
export function grouped(amount: number | string): string {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(String(amount)) ?? [];
  if (sign === undefined) return String(amount);
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction}`;
}

/** `1,000 members`, `1 member`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
