import Link from '@docusaurus/Link';
import { useLocation } from '@docusaurus/router';
import { PageMetadata } from '@docusaurus/theme-common';
import useBaseUrl from '@docusaurus/useBaseUrl';
import useIsBrowser from '@docusaurus/useIsBrowser';
import Heading from '@theme/Heading';
import { useEffect, useState } from 'react';
import { nearestPaths } from './nearest-paths.ts';

const suggestionsShown = 5;

export default function NotFoundContent({ className = '' }: { className?: string }) {
  const { pathname } = useLocation();
  const baseUrl = useBaseUrl('/');
  const isBrowser = useIsBrowser();
  const [near, setNear] = useState<string[]>([]);
  // One file is served for every missing URL, so only a browser knows which one it was.
  const words = isBrowser ? wordsOf(pathname.slice(baseUrl.length)) : '';
  useEffect(() => {
    let isGone = false;
    readPaths(`${baseUrl}sitemap.xml`)
      .then((paths) => !isGone && setNear(nearestPaths(pathname, paths, suggestionsShown)))
      // Without the list of pages there is nothing to suggest.
      .catch(() => {});
    return () => {
      isGone = true;
    };
  }, [baseUrl, pathname]);
  return (
    <main className={`container margin-vert--xl ${className}`}>
      <PageMetadata
        title="Page not found"
        description="There is no page at this address of the Latchkey documentation."
      />
      <Heading as="h1">Page not found</Heading>
      <p>There is no page at this address. It may have moved, or the link is wrong.</p>
      {near.length === 0 ? null : (
        <>
          <Heading as="h2">Pages with a similar address</Heading>
          <ul>
            {near.map((path) => (
              <li key={path}>
                <Link to={path}>{path}</Link>
              </li>
            ))}
          </ul>
        </>
      )}
      <p>
        <Link to={words === '' ? '/search' : `/search?q=${encodeURIComponent(words)}`}>
          {words === '' ? 'Search the documentation' : `Search for “${words}”`}
        </Link>
        , or start from <Link to="/">the home page</Link>.
      </p>
    </main>
  );
}

function wordsOf(path: string): string {
  return path
    .split(/[/\-_.]+/)
    .filter(Boolean)
    .join(' ');
}

/** Returns the paths of the site, without its origin. */
async function readPaths(address: string): Promise<string[]> {
  const answer = await fetch(address);
  if (!answer.ok) return [];
  const text = await answer.text();
  return [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, loc = '']) => new URL(loc).pathname);
}
