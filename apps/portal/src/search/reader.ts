import siteConfig from '@generated/docusaurus.config';
import type { SearchContext } from '@latchkey/server/docs-search';

interface Reader {
  /** Navigates within the site without a full reload. */
  navigate(address: string): void;
  context: SearchContext;
}

let reader: Reader = {
  navigate: (address) => window.location.assign(address),
  context: { language: siteConfig.i18n.defaultLocale, tags: [] },
};

/** Set by the search button, which is on every page and knows where the reader is. */
export function setReader(known: Reader): void {
  reader = known;
}

export function currentContext(): SearchContext {
  return reader.context;
}

/** Returns the href of a link: within the site with its base path, elsewhere unchanged. */
export function toHref(path: string): string {
  return path.startsWith('/') ? `${siteConfig.baseUrl}${path.slice(1)}` : path;
}

/** Follows a link within the site by client-side navigation, and leaves all other clicks to the browser. */
export function follow(event: MouseEvent | React.MouseEvent, path: string): boolean {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!isPlain) return false;
  event.preventDefault();
  goTo(path);
  return true;
}

export function goTo(path: string): void {
  if (path.startsWith('/')) reader.navigate(toHref(path));
  else window.location.assign(path);
}
