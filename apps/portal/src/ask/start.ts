import siteConfig from '@generated/docusaurus.config';
import { loadSettings } from '../settings.ts';

const idleTimeoutMs = 5000;
const withoutIdleMs = 2000;

/** Resolves after the page has loaded and is idle. */
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

/** Loads another provider's widget, only from the site's own host: the site's policy allows no other. */
function loadScript(src: string): void {
  const address = new URL(src, document.baseURI);
  if (address.origin !== window.location.origin) return;
  const script = document.createElement('script');
  script.src = address.href;
  script.async = true;
  document.body.append(script);
}

// The page works without it, so errors here stay invisible.
if (typeof window !== 'undefined') start().catch(() => {});
