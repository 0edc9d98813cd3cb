/**
 * The theme remembers that a reader closed the announcement, and notices too late that it is a new one. This runs before it and deletes the
 * choice if the id has changed, so that the bar is back on the first page.
 */
export function announcementScript(id: string): string {
  return `try{var s=localStorage,k='docusaurus.announcement.';if(s.getItem(k+'id')!==${JSON.stringify(id)})s.setItem(k+'dismiss','false')}catch(e){}`;
}

/**
 * Shows a message if the files that every page needs cannot be loaded: usually the site was built for another base path. Files that are
 * fetched later, or prefetched, are handled by their callers.
 */
export function brokenAssetsScript(baseUrl: string): string {
  const text =
    'This site did not load properly. A common reason is a wrong base path: it was built for ' +
    `“${baseUrl}”. Build it with LATCHKEY_PORTAL_URL set to the address it is served under.`;
  return [
    "addEventListener('error',function(e){",
    'var t=e.target;',
    "if(!t||!(t.defer||t.rel==='stylesheet')||!/assets\\//.test(t.src||t.href||'')||document.getElementById('base-url-banner'))return;",
    "function show(){var d=document.createElement('div');d.id='base-url-banner';d.setAttribute('role','alert');",
    `d.textContent=${JSON.stringify(text)};`,
    "d.style.cssText='margin:20px;padding:20px;border:thick solid #b3261e;background:#ffe6b3;color:#1d2321;font-size:20px';",
    'document.body.prepend(d)}',
    "document.body?show():addEventListener('DOMContentLoaded',show)",
    '},true);',
  ].join('');
}

/** Hosts that keep the file extension serve the page under a longer URL; this changes it to the one that the site uses. */
export function plainAddressScript(baseUrl: string): string {
  return [
    '!function(l){',
    "var p=l.pathname.replace(/(\\/index)?\\.html$/,'');",
    `if(p+'/'===${JSON.stringify(baseUrl)})p+='/';`,
    "if(p!==l.pathname&&!/\\/404$/.test(p))history.replaceState(null,'',p+l.search+l.hash)",
    '}(location);',
  ].join('');
}
