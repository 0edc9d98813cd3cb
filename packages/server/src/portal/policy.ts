/** For what is no page of the build, and so runs nothing. */
const strictest = "default-src 'none'";
/** Only a header can say it: browsers ignore it inside a page. */
const unframed = "frame-ancestors 'none'";

const tag = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/;
const entities: Readonly<Record<string, string>> = { '&quot;': '"', '&lt;': '<', '&amp;': '&' };

/**
 * The content security policy that a file is served with. The build writes one into each page, with the hashes of its own
 * scripts and styles, so that any host of files can serve it; as a header it holds from the first byte on.
 */
export function policyOf(text: string, isPage: boolean): string {
  const [, written] = (isPage ? tag.exec(text) : null) ?? [];
  const own = written?.replace(/&(?:quot|lt|amp);/g, (entity) => entities[entity] ?? entity);
  return `${own ?? strictest}; ${unframed}`;
}
