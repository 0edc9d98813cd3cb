import { join } from 'node:path';

/** Where what is measured against is installed and built, apart from the project's own packages. */
export const benchFolder = import.meta.dirname;
export const portalFolder = join(benchFolder, '../../apps/portal');
export const oursFolder = join(portalFolder, 'dist/site');
export const stockFolder = join(benchFolder, 'dist/stock');
export const redocFolder = join(benchFolder, 'dist/redoc');
