type Fetch = (path: string) => false | Promise<unknown>;

interface Ahead {
  prefetch: Fetch;
  preload: Fetch;
}

/** What the Docusaurus client puts on the window, for links to call. */
type WindowAhead = Window & { docusaurus?: Ahead };

const waiting = new Set<string>();

/** One link after the other, so that nothing the reader does has to wait for them. */
function fetchNext(prefetch: Fetch): void {
  const [path] = waiting;
  if (path === undefined) return;
  waiting.delete(path);
  prefetch(path);
  if (waiting.size > 0) whenIdle(() => fetchNext(prefetch));
}

function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(work);
  else setTimeout(work, 200);
}

function whenLoaded(work: () => void): void {
  if (document.readyState === 'complete') work();
  else window.addEventListener('load', work, { once: true });
}

let isSlowed = false;

/** Pages behind visible links are prefetched, but only when this page has loaded and is idle. */
export function onRouteDidUpdate(): void {
  const view: WindowAhead = window;
  const ahead = view.docusaurus;
  if (isSlowed || ahead === undefined) return;
  isSlowed = true;
  view.docusaurus = {
    ...ahead,
    prefetch: (path) => {
      waiting.add(path);
      if (waiting.size === 1) whenLoaded(() => whenIdle(() => fetchNext(ahead.prefetch)));
      return false;
    },
  };
}
