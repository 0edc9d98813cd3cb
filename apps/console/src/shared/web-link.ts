/** Where a link may lead: to a page on the web, and to nothing that a browser would run or draw by itself. */
export function webLink(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  return ['https:', 'http:'].includes(new URL(address).protocol) ? address : undefined;
}
