/** Returns a link only if it leads to a web page, and not to something that a browser would run or render itself. */
export function webLink(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  return ['https:', 'http:'].includes(new URL(address).protocol) ? address : undefined;
}
