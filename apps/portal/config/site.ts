export interface Site {
  /** Where the site is hosted. Only absolute addresses depend on it: sitemap, feeds, previews. */
  url: string;
  /** The path it is served under, with a slash at both ends. */
  baseUrl: string;
  /** The web address of the repository, for links to edit a page. Without it there are none. */
  repository: string | undefined;
}

/** What the environment says of the site to build. */
export function readSite(environment: NodeJS.ProcessEnv = process.env): Site {
  const path = environment.LATCHKEY_PORTAL_BASE_PATH ?? '/';
  if (!/^\/([\w.~-]+\/)*$/.test(path))
    throw new Error(`LATCHKEY_PORTAL_BASE_PATH must begin and end with a slash, like /docs/; it is ${path}.`);
  return {
    url: (environment.LATCHKEY_PORTAL_URL ?? 'http://localhost:3001').replace(/\/$/, ''),
    baseUrl: path,
    repository: environment.LATCHKEY_PORTAL_REPOSITORY,
  };
}
