import siteConfig from '@generated/docusaurus.config';
import { loadSettings } from '../settings.ts';
import type { SearchClient } from './client.ts';
import { embeddedClient, loadEngine } from './embedded.ts';
import { hostedClient } from './hosted.ts';

/** The index in the page that searching and asking share. */
export const openSiteEngine = loadEngine(siteConfig.baseUrl);

let opening: Promise<SearchClient> | undefined;

/** Returns the client that the settings of the site choose. */
export function openClient(): Promise<SearchClient> {
  opening ??= loadSettings(siteConfig.baseUrl).then(({ search }) =>
    search.kind === 'hosted'
      ? hostedClient(search, { siteUrl: `${siteConfig.url}${siteConfig.baseUrl}` })
      : embeddedClient(openSiteEngine),
  );
  return opening;
}

/** Fetches what the first search will need. */
export async function warmUp(): Promise<void> {
  const client = await openClient().catch(() => undefined);
  await client?.warm();
}
