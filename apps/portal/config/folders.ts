import { join } from 'node:path';

export const portalFolder = join(import.meta.dirname, '..');

/** Tests build a site of their own: the other one is being served where `npm start` runs, for another address. */
const purpose = process.env.LATCHKEY_TEST_RUN === undefined ? '' : '-for-tests';

/** Where the built site is. */
export const siteFolder = join(portalFolder, `dist/site${purpose}`);

/** Where a new one is made, until it takes the place of the old one. */
export const nextSiteFolder = join(portalFolder, `dist/next${purpose}`);

/** Says what the site was built from. */
export const siteStampFile = join(portalFolder, `dist/stamp${purpose}.json`);
