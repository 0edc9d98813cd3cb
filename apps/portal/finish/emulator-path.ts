/**
 * Where the Markdown of a page is: at the page's path with `.md` in place of a slash at the end, if it has one.
 * So `/docs/intro` has `/docs/intro.md`, `/docs/tutorials/` has `/docs/tutorials.md`, and the home page `/index.md`.
 */
export function markdownPath(route: string): string {
  const path = route.replace(/\/$/, '');
  return path === '' ? '/index.md' : `${path}.md`;
}
