import siteConfig from '@generated/docusaurus.config';
import { loadSettings } from '../settings.ts';

interface Place {
  pathname: string;
  search: string;
  hash: string;
}

/** Readers who ask not to be followed are not. */
function isUnwanted(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  return doNotTrack === '1' || globalPrivacyControl === true;
}

/** Tells the configured endpoint which page is read: its path and title, nothing about the reader. Nobody by default. */
async function send(pathname: string): Promise<void> {
  const { analytics } = await loadSettings(siteConfig.baseUrl);
  if (analytics === undefined || isUnwanted()) return;
  const event = { name: 'page_view', path: pathname, title: document.title, anonymizeIp: true };
  // Plain text without cookies, so that any host can be told and none can know the reader again.
  await fetch(analytics.endpoint, {
    method: 'POST',
    mode: 'no-cors',
    credentials: 'omit',
    keepalive: true,
    body: JSON.stringify(event),
  });
}

/** Docusaurus calls this on every change of the route. A click on a heading of the same page is not another view. */
export function onRouteDidUpdate({ location, previousLocation }: { location: Place; previousLocation: Place | null }) {
  const isSame = location.pathname === previousLocation?.pathname && location.search === previousLocation.search;
  if (isSame) return;
  // After the title has been set.
  setTimeout(() => send(location.pathname).catch(() => {}));
}
