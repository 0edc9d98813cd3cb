import { join } from 'node:path';

export const portalFolder = join(import.meta.dirname, '..');

/** Where the built site is. */
export const siteFolder = join(portalFolder, 'dist/site');

/** Where a new one is made, until it takes the place of the old one. */
export const nextSiteFolder = join(portalFolder, 'dist/next');
