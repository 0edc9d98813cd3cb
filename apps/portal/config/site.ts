export interface Site {
  /** The origin of the site. Only absolute URLs depend on it: sitemap, feeds, previews. */
  url: string;
  /** The path it is served under, with a slash at both ends. */
  baseUrl: string;
  /** The web URL of the repository, for links to edit a page. Without it there are none. */
  repository: string | undefined;
}

/** Reads the settings of the site from the environment. */
export function readSite(environment: NodeJS.ProcessEnv = process.env): Site {
  const address = environment.LATCHKEY_PORTAL_URL || 'http://localhost:3001';
  const parsed = URL.canParse(address) ? new URL(address) : undefined;
  const path = parsed?.pathname.replace(/\/*$/, '/') ?? '';
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || !/^\/([\w.~-]+\/)*$/.test(path))
    throw new Error(
      `LATCHKEY_PORTAL_URL must be the address of the site, like https://example.org/docs/; it is ${address}.`,
    );
  return { url: parsed.origin, baseUrl: path, repository: environment.LATCHKEY_PORTAL_REPOSITORY };
}
