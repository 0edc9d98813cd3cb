import siteConfig from '@generated/docusaurus.config';
import { keepPage } from '../search/recent-pages.ts';

interface Place {
  pathname: string;
}

/** Docusaurus calls this on every URL change. */
export function onRouteDidUpdate({ location, previousLocation }: { location: Place; previousLocation: Place | null }) {
  if (location.pathname === previousLocation?.pathname) return;
  const path = `/${location.pathname.slice(siteConfig.baseUrl.length)}`;
  // The title is written in the next frame, by a callback that was requested earlier.
  requestAnimationFrame(() => keepPage({ path, title: document.title }));
}
