/**
 * The frame of every page. It differs from the generator's own in one thing: scripts are loaded after the styles and the text, which are
 * all that the first paint needs, not in parallel.
 */
export const pageTemplate = `
<!DOCTYPE html>
<html <%~ it.htmlAttributes %>>
  <head>
    <meta charset="UTF-8">
    <meta name="generator" content="Docusaurus v<%= it.version %>">
    <% it.metaAttributes.forEach((metaAttribute) => { %>
      <%~ metaAttribute %>
    <% }); %>
    <%~ it.headTags %>
    <script>(${startAfterPaint})(<%~ JSON.stringify(it.scripts.map((script) => it.baseUrl + script)) %>)</script>
    <% it.stylesheets.forEach((stylesheet) => { %>
      <link rel="stylesheet" href="<%= it.baseUrl %><%= stylesheet %>" />
    <% }); %>
  </head>
  <body <%~ it.bodyAttributes %>>
    <%~ it.preBodyTags %>
    <div id="__docusaurus"><%~ it.appHtml %></div>
    <%~ it.postBodyTags %>
  </body>
</html>
`;

/**
 * Runs in every page, self-contained: starts the page's scripts once it has been painted, or at the first interaction. Until then links and
 * forms work as plain HTML; a reader who presses a button that needs the scripts does not have to press it again. It is inlined as text, so
 * it uses nothing from outside.
 */
function startAfterPaint(files: readonly string[]): void {
  const signs = ['pointerover', 'pointerdown', 'touchstart', 'keydown', 'focusin'];
  let isStarted = false;
  let pressed: HTMLElement | null = null;

  function start(): void {
    if (isStarted) return;
    isStarted = true;
    for (const sign of signs) removeEventListener(sign, start, true);
    for (const file of files) {
      const script = document.createElement('script');
      script.src = file;
      // In order, each in its own task.
      script.async = false;
      script.defer = true;
      document.head.append(script);
    }
  }

  function keep(event: Event, target: HTMLElement | null): void {
    if (target === null) return;
    event.preventDefault();
    event.stopPropagation();
    pressed = target;
  }

  function onClick(event: Event): void {
    const { target } = event;
    // Elements outside of the page, such as the error box, work without the scripts.
    const wanted = '#__docusaurus :is(button,[role=button],[role=tab],a[href="#"])';
    if (target instanceof Element) keep(event, target.closest<HTMLElement>(wanted));
  }

  function onKey(event: KeyboardEvent): void {
    const isWriting = event.target instanceof Element && event.target.matches('input,textarea,select');
    const isK = event.ctrlKey !== event.metaKey && event.key.toLowerCase() === 'k' && !event.shiftKey;
    const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !isWriting;
    if (!event.altKey && (isK || isSlash)) keep(event, document.querySelector('[aria-keyshortcuts]'));
  }

  addEventListener('click', onClick, true);
  addEventListener('keydown', onKey, true);
  new MutationObserver((_, observer) => {
    if (document.documentElement.dataset.hasHydrated !== 'true') return;
    observer.disconnect();
    removeEventListener('click', onClick, true);
    removeEventListener('keydown', onKey, true);
    pressed?.click();
  }).observe(document.documentElement, { attributeFilter: ['data-has-hydrated'] });

  for (const sign of signs) addEventListener(sign, start, { capture: true, passive: true });
  const whenIdle = window.requestIdleCallback ?? setTimeout;
  addEventListener('DOMContentLoaded', () => {
    requestAnimationFrame(() => setTimeout(() => whenIdle(start, { timeout: 500 })));
    // A background tab is not painted.
    setTimeout(start, 2000);
  });
}
