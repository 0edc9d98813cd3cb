import siteConfig from '@generated/docusaurus.config';
import { keepPage } from '../search/recent-pages.ts';

interface Place {
  pathname: string;
}

/** Docusaurus calls this on every URL change. */
export function onRouteDidUpdate({ location, previousLocation }: { location: Place; previousLocation: Place | null }) {
  const { pathname } = location;
  if (pathname === previousLocation?.pathname) return;
  const keep = () => keepPage({ path: `/${pathname.slice(siteConfig.baseUrl.length)}`, title: document.title });
  // The first page arrives with its title.
  if (previousLocation === null) return keep();
  // Later titles are written in the next frame, by a callback that was requested earlier. A fast reader may have left by then, and the
  // title would be that of another page.
  requestAnimationFrame(() => {
    if (window.location.pathname === pathname) keep();
  });
}
