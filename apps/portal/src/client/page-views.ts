import siteConfig from '@generated/docusaurus.config';
import { loadSettings } from '../settings.ts';

interface Place {
  pathname: string;
}

/** Readers who ask not to be followed are not. */
function isUnwanted(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  return doNotTrack === '1' || globalPrivacyControl === true;
}

/** Tells the configured endpoint which page is read: its path and title, nothing about the reader. Off by default. */
async function send(pathname: string, title: string): Promise<void> {
  const { analytics } = await loadSettings(siteConfig.baseUrl);
  if (analytics === undefined || isUnwanted()) return;
  const event = { name: 'page_view', path: pathname, title, anonymizeIp: true };
  // Plain text without cookies, so that any host can be told and none can know the reader again.
  await fetch(analytics.endpoint, {
    method: 'POST',
    mode: 'no-cors',
    credentials: 'omit',
    keepalive: true,
    body: JSON.stringify(event),
  });
}

/** Docusaurus calls this on every change of the address. A heading or a question of the same page is no other view. */
export function onRouteDidUpdate({ location, previousLocation }: { location: Place; previousLocation: Place | null }) {
  if (location.pathname === previousLocation?.pathname) return;
  const { pathname } = location;
  // The title is written in the next frame, by a callback that was requested earlier.
  requestAnimationFrame(() => {
    // The title of the search page contains the query, which is private.
    const title = pathname.endsWith('/search') ? 'Search' : document.title;
    send(pathname, title).catch(() => {});
  });
}
