import { join } from 'node:path';

/** Where the tools are installed and the sites for comparison are built. */
export const benchFolder = import.meta.dirname;
export const portalFolder = join(benchFolder, '../../apps/portal');
export const oursFolder = join(portalFolder, 'dist/site');
export const stockFolder = join(benchFolder, 'dist/stock');
export const redocFolder = join(benchFolder, 'dist/redoc');
