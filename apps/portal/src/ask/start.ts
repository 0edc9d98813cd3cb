import siteConfig from '@generated/docusaurus.config';
import { loadSettings } from '../settings.ts';

const idleTimeoutMs = 5000;
const withoutIdleMs = 2000;

/** After the page has loaded and has nothing else to do. */
function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    const wait = () => {
      if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: idleTimeoutMs });
      else setTimeout(resolve, withoutIdleMs);
    };
    if (document.readyState === 'complete') wait();
    else window.addEventListener('load', wait, { once: true });
  });
}

async function start(): Promise<void> {
  await whenIdle();
  const { ask } = await loadSettings(siteConfig.baseUrl);
  if (ask.kind === 'embedded') (await import('./mount.tsx')).mount();
  if (ask.kind === 'script') loadScript(ask.src);
}

/** Another provider's widget, from the site's own host alone: the policy of the site allows no other. */
function loadScript(src: string): void {
  const address = new URL(src, document.baseURI);
  if (address.origin !== window.location.origin) return;
  const script = document.createElement('script');
  script.src = address.href;
  script.async = true;
  document.body.append(script);
}

// The page is whole without it, so nothing that goes wrong here may be seen.
if (typeof window !== 'undefined') start().catch(() => {});
