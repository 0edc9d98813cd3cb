/** A contract address is recognised by its ends; other references are short and stay whole. */
export function shortReference(reference: string): string {
  return reference.length <= 20 ? reference : `${reference.slice(0, 6)}…${reference.slice(-4)}`;
}
