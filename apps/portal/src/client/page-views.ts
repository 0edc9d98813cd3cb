import siteConfig from '@generated/docusaurus.config';
import { loadSettings } from '../settings.ts';

interface Place {
  pathname: string;
}

/** Honors readers who opt out of tracking. */
function isUnwanted(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  return doNotTrack === '1' || globalPrivacyControl === true;
}

/** Reports a page view to the configured endpoint: path and title, nothing about the reader. Off by default. */
async function send(pathname: string, title: string): Promise<void> {
  const { analytics } = await loadSettings(siteConfig.baseUrl);
  if (analytics === undefined || isUnwanted()) return;
  const event = { name: 'page_view', path: pathname, title, anonymizeIp: true };
  // Plain text without cookies, so that any host can receive it and none can recognize the reader.
  await fetch(analytics.endpoint, {
    method: 'POST',
    mode: 'no-cors',
    credentials: 'omit',
    keepalive: true,
    body: JSON.stringify(event),
  });
}

/** Docusaurus calls this on every URL change. Another heading or query of the same page is not another view. */
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
