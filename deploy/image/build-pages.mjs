// Builds the pages for browsers, as the setup of a clone does.
import { resolve } from 'node:path';
import { buildPages } from '../../scripts/setup/pages.mjs';

const root = resolve(import.meta.dirname, '../..');
await buildPages(root, { path: process.execPath, version: process.versions.node }, () => undefined);
