import { join } from 'node:path';

export const portalFolder = join(import.meta.dirname, '..');

/** Tests build a separate site: the other one is served by `npm start`, for another URL. */
const purpose = process.env.LATCHKEY_TEST_RUN === undefined ? '' : '-for-tests';

/** The folder of the built site. */
export const siteFolder = join(portalFolder, `dist/site${purpose}`);

/** Where a new site is built, until it replaces the old one. */
export const nextSiteFolder = join(portalFolder, `dist/next${purpose}`);

/** Records what the site was built from. */
export const siteStampFile = join(portalFolder, `dist/stamp${purpose}.json`);
